import { encodeFunctionData, parseAbi } from 'viem';
import type { TokenAmount } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import type { Rpc } from '../node/json-rpc.ts';
import { ampleScenario } from '../scenario/circumstances.ts';
import { readWords } from '../scenario/token-reads.ts';
import { joined } from '../settle/provision.ts';
import { simulate } from '../settle/simulate.ts';
import type { Fork } from './fork.ts';

const ABI = parseAbi(['function transfer(address to, uint256 amount)']);
const DECIMALS = '0x313ce567';

/** Returns the decimals that tokens report. Omits accounts that report none. */
export async function readDecimals(
  fork: Pick<Fork, 'rpc' | 'readOnce'>,
  tokens: Iterable<Address>,
): Promise<ReadonlyMap<Address, number>> {
  const read = (token: Address) =>
    fork.readOnce(`decimals of ${token}`, () => decimalsOf(fork.rpc, token));
  const found = await Promise.all(
    [...new Set(tokens)].map(async (token) => [token, await read(token)] as const),
  );
  return new Map(
    found.flatMap(([token, decimals]) => (decimals === undefined ? [] : [[token, decimals]])),
  );
}

async function decimalsOf(rpc: Rpc, token: Address): Promise<number | undefined> {
  const [decimals, ...more] = (await readWords(rpc, { to: token, data: DECIMALS })) ?? [];
  return decimals !== undefined && decimals <= 255n && more.length === 0
    ? Number(decimals)
    : undefined;
}

/** Effects of a token's transfer outside a trade. */
export type MovedToken =
  | { readonly kind: 'failed'; readonly reason: string }
  | {
      readonly kind: 'moved';
      /**
       * Decrease of the holder's balance, and increase of the other account's. Undefined if the
       * token reports no balance.
       */
      readonly sent: bigint | undefined;
      readonly received: bigint | undefined;
    };

/** Gives an account a token, and transfers it to another account. */
export async function moveToken(
  fork: Fork,
  user: Address,
  { token, amount }: TokenAmount,
): Promise<MovedToken> {
  const { witness } = fork.accounts;
  const given = await fork.funding.give(token, user, amount);
  if (typeof given === 'string') return { kind: 'failed', reason: given };
  const native = { overrides: { [user]: { balance: 10n ** 20n } }, before: [] };
  const data = encodeFunctionData({ abi: ABI, args: [witness, amount] });
  const scenario = ampleScenario(fork.block, {
    ...{ chainId: fork.chainId, time: fork.nextBlockTime(), ...joined(native, given) },
    trade: { from: user, to: token, value: 0n, data },
    measured: { tokens: [token], holders: [user, witness] },
  });
  const { outcome, reason = 'failed', changes } = await simulate(fork, scenario);
  if (outcome !== 'settled') return { kind: 'failed', reason };
  const changeOf = (account: Address) => {
    const change = changes.find(({ holder }) => holder === account);
    return change === undefined ? 0n : change.amount;
  };
  const lost = changeOf(user);
  return {
    kind: 'moved',
    sent: lost === undefined ? undefined : -lost,
    received: changeOf(witness),
  };
}

/**
 * Describes, as a phrase, unusual behavior of a token's transfers that may make a plan with correct
 * calldata fail. Returns an empty text if there is none.
 *
 * @example
 * await describeOddity(fork, user, { token, amount: 1000n })
 * // 'the token 0x... keeps 3 % of a transfer'
 */
export async function describeOddity(
  fork: Fork,
  user: Address,
  { token, amount }: TokenAmount,
): Promise<string> {
  const moved = await moveToken(fork, user, { token, amount });
  if (moved.kind === 'failed')
    return `a plain transfer of the token ${token} failed: ${moved.reason}`;
  const { sent, received } = moved;
  if (sent === undefined || received === undefined) return `the token ${token} reports no balance`;
  if (received < amount) {
    const percent = Number(((amount - received) * 10_000n) / amount) / 100;
    return `the token ${token} keeps ${percent} % of a transfer`;
  }
  return sent === amount
    ? ''
    : `the token ${token} takes ${sent} from a holder who sends ${amount}`;
}
