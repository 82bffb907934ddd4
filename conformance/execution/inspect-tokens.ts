import type { TokenAmount } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { OTHER_USER } from './choose-requests.ts';
import type { Fork } from './fork.ts';
import type { ForkSession } from './fork-session.ts';
import { transferCall } from './funding.ts';
import { type Rpc, undefinedIfRejected } from './json-rpc.ts';
import { ampleGas, makeTrade } from './make-trade.ts';
import { isolated } from './send.ts';

const DECIMALS = '0x313ce567';

/**
 * Returns the decimal places that tokens report; accounts that report none are absent.
 */
export async function readDecimals(
  session: Pick<ForkSession, 'rpc' | 'readOnce'>,
  tokens: Iterable<Address>,
): Promise<ReadonlyMap<Address, number>> {
  const read = (token: Address) =>
    session.readOnce(`decimals of ${token}`, () => decimalsOf(session.rpc(), token));
  const found = await Promise.all(
    [...new Set(tokens)].map(async (token) => [token, await read(token)] as const),
  );
  return new Map(
    found.flatMap(([token, decimals]) => (decimals === undefined ? [] : [[token, decimals]])),
  );
}

async function decimalsOf(rpc: Rpc, token: Address): Promise<number | undefined> {
  const call = { to: token, data: DECIMALS };
  const returned = (await undefinedIfRejected(rpc<string>('eth_call', [call, 'latest']))) ?? '';
  const isWord = /^0x[0-9a-f]{64}$/.test(returned);
  return isWord && BigInt(returned) <= 255n ? Number(BigInt(returned)) : undefined;
}

/** The effects of a plain transfer of a token. */
export type MovedToken =
  | { readonly kind: 'failed'; readonly reason: string }
  | {
      readonly kind: 'moved';
      readonly returned: string;
      /** Decrease of the holder's balance and increase of the other's; undefined if the token reports none. */
      readonly sent: bigint | undefined;
      readonly received: bigint | undefined;
    };

/** Transfers some of a token from its holder to another account, and reverts the fork. */
export async function moveToken(
  fork: Pick<Fork, 'rpc' | 'block'>,
  user: Address,
  { token, amount }: TokenAmount,
): Promise<MovedToken> {
  const { mined, calls, change } = await isolated(fork.rpc, () =>
    makeTrade(fork, {
      user,
      trade: transferCall(token, OTHER_USER, amount),
      gas: ampleGas(fork.block),
      timestamp: 0,
      tokens: [token],
      holders: [user, OTHER_USER],
    }),
  );
  if (mined.kind === 'refused' || !mined.success) {
    return { kind: 'failed', reason: mined.reason ?? 'failed' };
  }
  const lost = change(token, user);
  return {
    kind: 'moved',
    returned: calls?.output ?? '0x',
    sent: lost === undefined ? undefined : -lost,
    received: change(token, OTHER_USER),
  };
}

/**
 * Returns an oddity of a token's transfers as a phrase, because of which a plan with sound calldata may
 * fail; an empty text if there is none.
 *
 * @example
 * await describeOddity(rpc, user, { token, amount: 1000n })
 * // 'the token 0x... keeps 3 % of a transfer'
 */
export async function describeOddity(
  fork: Pick<Fork, 'rpc' | 'block'>,
  user: Address,
  { token, amount }: TokenAmount,
): Promise<string> {
  const moved = await moveToken(fork, user, { token, amount });
  if (moved.kind === 'failed') return `a plain transfer of the token ${token} ${moved.reason}`;
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
