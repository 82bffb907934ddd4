import type { Asset } from '../discovery/facts.ts';
import type { Address } from '../model/trade-request.ts';
import { USER } from './choose-requests.ts';
import type { ForkSession } from './fork-session.ts';
import { moveToken } from './inspect-tokens.ts';
import { type Rpc, undefinedIfRejected } from './json-rpc.ts';
import { undefinedIfNodeFailed } from './node-losses.ts';
import { readAddress } from './read-swap-plan.ts';

const SYMBOL = '0x95d89b41';
/** Amount of a test transfer, in base units: large enough that the rounding of shares does not matter. */
const MOVED = 999_983n;
const ROUNDING = 2n;
/** Maximum number of tested tokens: funding one takes several reads. */
const MAX_TOKENS = 32;

/**
 * Returns the oddities of the tokens of some pairs: each is given to the user and transferred in a call
 * without lasting effect.
 */
export async function findOddities(
  session: ForkSession,
  pairs: readonly { readonly sell: Asset; readonly buy: Asset }[],
): Promise<ReadonlyMap<Address, readonly string[]>> {
  const assets = pairs.flatMap(({ sell, buy }) => [sell, buy]).filter(({ native }) => !native);
  const tokens = [...new Set(assets.flatMap(({ address }) => readAddress(address) ?? []))];
  const tried = tokens.slice(0, MAX_TOKENS);
  const refused = await session.prepare(new Map(tried.map((token) => [token, MOVED])));
  const found = new Map<Address, readonly string[]>();
  for (const token of tried.filter((each) => !refused.has(each))) {
    found.set(token, (await undefinedIfNodeFailed(() => odditiesOf(session, token))) ?? []);
  }
  return found;
}

async function odditiesOf(session: ForkSession, token: Address): Promise<readonly string[]> {
  const moved = await moveToken(session.fork(), USER, { token, amount: MOVED });
  if (moved.kind === 'failed') return [];
  const { sent = 0n, received = 0n } = moved;
  const off = MOVED - received || MOVED - sent;
  const kinds = {
    'returns nothing': moved.returned === '0x',
    'keeps a part of a transfer': MOVED - received > ROUNDING,
    'rounds what is held': off > 0n && off <= ROUNDING,
    'has a symbol of 32 bytes': await returnsWord(session.rpc(), token),
  };
  return Object.entries(kinds).flatMap(([kind, isSo]) => (isSo ? [kind] : []));
}

/** Whether a token returns its symbol as bytes32, as early tokens do. */
async function returnsWord(rpc: Rpc, token: Address): Promise<boolean> {
  const call = { to: token, data: SYMBOL };
  return (await undefinedIfRejected(rpc<string>('eth_call', [call, 'latest'])))?.length === 66;
}
