import type { Asset } from '../../discovery/facts.ts';
import type { Address } from '../../model/trade-request.ts';
import type { ForkSession } from '../fork/fork-session.ts';
import { moveToken } from '../fork/inspect-tokens.ts';
import { undefinedIfRejected } from '../node/json-rpc.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { readAddress } from '../settle/read-swap-plan.ts';

const SYMBOL = '0x95d89b41';
/** A transfer of 0 to an unused account, which shows what a transfer returns. */
const TRANSFER_NOTHING = `0xa9059cbb${'1'.padStart(64, '0')}${'0'.repeat(64)}`;
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
  const found = await Promise.all(
    tried.map(async (token) => {
      const oddities = await undefinedIfNodeFailed(() => odditiesOf(session, token));
      return oddities === undefined ? [] : [[token, oddities] as const];
    }),
  );
  return new Map(found.flat());
}

async function odditiesOf(
  session: ForkSession,
  token: Address,
): Promise<readonly string[] | undefined> {
  const moved = await moveToken(session, session.accounts.user, { token, amount: MOVED });
  if (moved.kind === 'failed') return undefined;
  const { sent = 0n, received = 0n } = moved;
  const off = MOVED - received || MOVED - sent;
  const kinds = {
    'returns nothing': (await callWith(session, token, TRANSFER_NOTHING)) === '0x',
    'keeps a part of a transfer': MOVED - received > ROUNDING,
    'rounds what is held': off > 0n && off <= ROUNDING,
    // Early tokens return a `bytes32` symbol.
    'has a symbol of 32 bytes': (await callWith(session, token, SYMBOL))?.length === 66,
  };
  return Object.entries(kinds).flatMap(([kind, isSo]) => (isSo ? [kind] : []));
}

/** Returns the result of a call of a token, or undefined if it reverts. */
function callWith(session: ForkSession, to: Address, data: string): Promise<string | undefined> {
  const { user: from } = session.accounts;
  return undefinedIfRejected(session.rpc()<string>('eth_call', [{ from, to, data }, 'latest']));
}
