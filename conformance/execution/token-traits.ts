import { encodeFunctionData, parseAbi } from 'viem';
import type { Rpc } from './json-rpc.ts';
import { replay } from './replay.ts';
import { describeRevert } from './revert.ts';
import type { Address, TokenAmount } from './swap-plan.ts';

const ABI = parseAbi(['function transfer(address to, uint256 amount)']);
const STRANGER: Address = '0x00000000000000000000000000000000c0ffee03';

/**
 * Returns what is odd about a token when its holder moves some of it, as a
 * phrase, or an empty text: why a plan with sound calldata may fail.
 *
 * @example
 * await describeTraits(rpc, user, { token, amount: 1000n })
 * // 'the token 0x... keeps 3 % of a transfer'
 */
export async function describeTraits(
  rpc: Rpc,
  user: Address,
  { token, amount }: TokenAmount,
): Promise<string> {
  const data = encodeFunctionData({ abi: ABI, args: [STRANGER, amount] });
  const trade = { to: token, value: 0n, data };
  const moved = await replay(rpc, { user, trade, tokens: [token], holders: [user, STRANGER] });
  if (moved.kind === 'not-reached') return '';
  if (!moved.success) {
    return `a plain transfer of the token ${token} ${describeRevert(moved.returned)}`;
  }
  const [lost, gained] = [moved.change(token, user), moved.change(token, STRANGER)];
  if (lost === undefined || gained === undefined) return `the token ${token} tells no balance`;
  if (gained < amount) {
    const percent = Number(((amount - gained) * 10_000n) / amount) / 100;
    return `the token ${token} keeps ${percent} % of a transfer`;
  }
  return -lost === amount
    ? ''
    : `the token ${token} takes ${-lost} from a holder who sends ${amount}`;
}
