import { encodeFunctionData, parseAbi } from 'viem';
import type { TokenAmount, UserCall } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { OTHER_USER } from './choose-requests.ts';
import { orRefused, type Rpc } from './json-rpc.ts';
import { replay } from './replay.ts';
import { describeRevert } from './revert.ts';

const DECIMALS = '0x313ce567';
const ABI = parseAbi(['function transfer(address to, uint256 amount)']);

/**
 * Returns how many decimal places tokens say that they have; what is no token,
 * or does not say, is absent.
 */
export async function readDecimals(
  rpc: Rpc,
  tokens: Iterable<Address>,
): Promise<ReadonlyMap<Address, number>> {
  const found = await Promise.all(
    [...new Set(tokens)].map(async (token) => [token, await decimalsOf(rpc, token)] as const),
  );
  return new Map(
    found.flatMap(([token, decimals]) => (decimals === undefined ? [] : [[token, decimals]])),
  );
}

async function decimalsOf(rpc: Rpc, token: Address): Promise<number | undefined> {
  const call = { to: token, data: DECIMALS };
  const returned = (await orRefused(rpc<string>('eth_call', [call, 'latest']))) ?? '';
  const isWord = /^0x[0-9a-f]{64}$/.test(returned);
  return isWord && BigInt(returned) <= 255n ? Number(BigInt(returned)) : undefined;
}

/** Returns the call by which a holder moves some of a token. */
export function transferCall(token: Address, to: Address, amount: bigint): UserCall {
  const data = encodeFunctionData({ abi: ABI, args: [to, amount] });
  return { to: token, value: 0n, data };
}

/** Moves some of a token from its holder to another account, in a call that keeps nothing. */
export function moveToken(rpc: Rpc, user: Address, { token, amount }: TokenAmount) {
  const trade = transferCall(token, OTHER_USER, amount);
  return replay(rpc, { user, trade, tokens: [token], holders: [user, OTHER_USER] });
}

/**
 * Returns what is odd about a token when its holder moves some of it, as a
 * phrase, or an empty text: why a plan with sound calldata may fail.
 *
 * @example
 * await describeOddity(rpc, user, { token, amount: 1000n })
 * // 'the token 0x... keeps 3 % of a transfer'
 */
export async function describeOddity(
  rpc: Rpc,
  user: Address,
  { token, amount }: TokenAmount,
): Promise<string> {
  const moved = await moveToken(rpc, user, { token, amount });
  if (moved.kind === 'not-reached') return '';
  if (!moved.success) {
    return `a plain transfer of the token ${token} ${describeRevert(moved.returned)}`;
  }
  const [lost, gained] = [moved.change(token, user), moved.change(token, OTHER_USER)];
  if (lost === undefined || gained === undefined) return `the token ${token} reports no balance`;
  if (gained < amount) {
    const percent = Number(((amount - gained) * 10_000n) / amount) / 100;
    return `the token ${token} keeps ${percent} % of a transfer`;
  }
  return -lost === amount
    ? ''
    : `the token ${token} takes ${-lost} from a holder who sends ${amount}`;
}
