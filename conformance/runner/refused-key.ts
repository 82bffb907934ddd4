import type { Exchange } from '../client/exchange.ts';
import { PATHS } from '../generate/trades.ts';
import { replyOf, statusWords } from '../rules/probing.ts';
import type { RequestTarget } from './session.ts';

/** What may answer a key that is not known; "Response to a missing or invalid key [...]: not shown". */
const REFUSALS: readonly unknown[] = [400, 401, 403];

/**
 * Returns why nothing can be judged where the service answers the key it was
 * asked with as it answers one that nobody has; undefined where it does not.
 *
 * @see Specification 5.3
 */
export async function describeRefusedKey(
  get: (target: RequestTarget) => Promise<Exchange>,
): Promise<string | undefined> {
  const own = await get({ path: PATHS.chains, query: [] });
  if (!REFUSALS.includes(replyOf(own)?.status)) return undefined;
  const query = [['apiKey', 'swapcheck-unknown-key']] as const;
  const unknown = await get({ path: PATHS.chains, query, key: 'as-written' });
  const words = statusWords(own);
  if (words !== statusWords(unknown)) return undefined;
  return `The service refuses the API key as it refuses an unknown one, with ${words}: --api-key or SWAPCHECK_API_KEY names the key.`;
}
