import { type Exchange, statusOf } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { statusWords } from '../rule-kit/probing.ts';

/** What may answer a key that is not known; "Response to a missing or invalid key [...]: not shown". */
const REFUSALS: readonly unknown[] = [400, 401, 403];

type Pair = readonly [name: string, value: string];

/** One request of each lookup; what the chain is matters little to a service that refuses the key. */
const LOOKUPS: readonly (RequestTarget & { readonly query: readonly Pair[] })[] = [
  { path: PATHS.chains, query: [] },
  { path: PATHS.tokens, query: [['chainId', '1']] },
  { path: PATHS.chainInfo, query: [['chainId', '1']] },
];

/**
 * Returns why nothing can be judged where the service answers the key it was
 * asked with as it answers one that nobody has, at every lookup; undefined where
 * it does not.
 *
 * @see Specification 5.3
 */
export async function describeRefusedKey(
  get: (target: RequestTarget) => Promise<Exchange>,
): Promise<string | undefined> {
  let refusal = '';
  for (const { path, query } of LOOKUPS) {
    const own = await get({ path, query });
    if (!REFUSALS.includes(statusOf(own))) return undefined;
    const others: readonly Pair[] = [...query, ['apiKey', 'swapcheck-unknown-key']];
    const unknown = await get({ path, query: others, key: 'as-written' });
    if (statusWords(own) !== statusWords(unknown)) return undefined;
    refusal ||= statusWords(own);
  }
  return `The service refuses the API key as it refuses an unknown one, with ${refusal}: --api-key or SWAPCHECK_API_KEY names the key.`;
}
