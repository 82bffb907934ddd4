import type { Asset } from '../discovery/facts.ts';
import type { Address } from '../model/trade-request.ts';
import { OTHER_USER, USER } from './choose-requests.ts';
import type { ForkSession } from './fork-session.ts';
import { moveToken } from './inspect-tokens.ts';
import { orRefused, type Rpc } from './json-rpc.ts';
import { unlessLost } from './node-losses.ts';
import { readAddress } from './read-swap-plan.ts';

const SYMBOL = '0x95d89b41';
/** Base units that are moved to see what a token does: of shares, some part is rounded. */
const MOVED = 999_983n;
const ROUNDING = 2n;
/** Tokens that are tried: funding one takes a node a few reads. */
const MOST_TOKENS = 32;

/**
 * Returns what is odd about the tokens of some pairs: each is given to the user
 * and moved in a call that keeps nothing.
 */
export async function findOddities(
  session: ForkSession,
  pairs: readonly { readonly sell: Asset; readonly buy: Asset }[],
): Promise<ReadonlyMap<Address, readonly string[]>> {
  const assets = pairs.flatMap(({ sell, buy }) => [sell, buy]).filter(({ native }) => !native);
  const tokens = [...new Set(assets.flatMap(({ address }) => readAddress(address) ?? []))];
  const tried = tokens.slice(0, MOST_TOKENS);
  const refused = await session.prepare(new Map(tried.map((token) => [token, MOVED])));
  const rpc = session.rpc();
  const found = await Promise.all(
    tried
      .filter((token) => !refused.has(token))
      .map(async (token) => [token, await unlessLost(() => odditiesOf(rpc, token))] as const),
  );
  return new Map(found.map(([token, oddities = []]) => [token, oddities]));
}

async function odditiesOf(rpc: Rpc, token: Address): Promise<readonly string[]> {
  const [moved, hasShortSymbol] = await Promise.all([
    moveToken(rpc, USER, { token, amount: MOVED }),
    returnsWord(rpc, token),
  ]);
  if (moved.kind === 'not-reached' || !moved.success) return [];
  const [lost = 0n, gained = 0n] = [moved.change(token, USER), moved.change(token, OTHER_USER)];
  const off = MOVED - gained || MOVED + lost;
  const kinds = {
    'returns nothing': moved.returned === '0x',
    'keeps a part of a transfer': MOVED - gained > ROUNDING,
    'rounds what is held': off > 0n && off <= ROUNDING,
    'has a symbol of 32 bytes': hasShortSymbol,
  };
  return Object.entries(kinds).flatMap(([kind, isSo]) => (isSo ? [kind] : []));
}

/** Whether a token tells its symbol in one word, as the first ones did. */
async function returnsWord(rpc: Rpc, token: Address): Promise<boolean> {
  const call = { to: token, data: SYMBOL };
  return (await orRefused(rpc<string>('eth_call', [call, 'latest'])))?.length === 66;
}
