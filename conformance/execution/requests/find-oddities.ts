import type { Asset } from '../../discovery/facts.ts';
import type { Hex } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';
import type { Fork } from '../fork/fork.ts';
import { moveToken } from '../fork/inspect-tokens.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { readWords } from '../scenario/token-reads.ts';
import { readAddress } from '../settle/read-swap-plan.ts';

const SYMBOL: Hex = '0x95d89b41';
/** A transfer of 0 to an unused account shows what a transfer returns. */
const TRANSFER_NOTHING: Hex = `0xa9059cbb${'1'.padStart(64, '0')}${'0'.repeat(64)}`;
/** Base units to transfer, enough to make the rounding of shares irrelevant. */
const TEST_TRANSFER_AMOUNT = 999_983n;
const ROUNDING = 2n;
/** Maximum number of inspected tokens, since funding a token takes several reads. */
const MAX_TOKENS = 32;

/**
 * Returns the unusual behavior of the tokens in some pairs. To observe a token, gives some to the
 * user and transfers them in a call without lasting effect.
 */
export async function findOddities(
  fork: Fork,
  pairs: readonly { readonly sell: Asset; readonly buy: Asset }[],
): Promise<ReadonlyMap<Address, readonly string[]>> {
  const assets = pairs.flatMap(({ sell, buy }) => [sell, buy]).filter(({ native }) => !native);
  const tokens = [...new Set(assets.flatMap(({ address }) => readAddress(address) ?? []))];
  const tried = tokens.slice(0, MAX_TOKENS);
  const found = await Promise.all(
    tried.map(async (token) => {
      const oddities = await undefinedIfNodeFailed(() => odditiesOf(fork, token));
      return oddities === undefined ? [] : [[token, oddities] as const];
    }),
  );
  return new Map(found.flat());
}

async function odditiesOf(fork: Fork, token: Address): Promise<readonly string[] | undefined> {
  const moved = await moveToken(fork, fork.accounts.user, {
    token,
    amount: TEST_TRANSFER_AMOUNT,
  });
  if (moved.kind === 'failed') return undefined;
  const { sent = 0n, received = 0n } = moved;
  const { user: from } = fork.accounts;
  const [symbol, returned] = await Promise.all(
    [SYMBOL, TRANSFER_NOTHING].map((data) => readWords(fork.rpc, { from, to: token, data })),
  );
  const off = TEST_TRANSFER_AMOUNT - received || TEST_TRANSFER_AMOUNT - sent;
  const kinds = {
    'returns nothing': returned?.length === 0,
    'keeps a part of a transfer': TEST_TRANSFER_AMOUNT - received > ROUNDING,
    'rounds balances': off > 0n && off <= ROUNDING,
    // Early tokens return a `bytes32` symbol.
    'has a symbol of 32 bytes': symbol?.length === 1,
  };
  return Object.entries(kinds).flatMap(([kind, isSo]) => (isSo ? [kind] : []));
}
