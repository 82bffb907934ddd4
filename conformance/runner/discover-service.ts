import { type Exchange, statusOf } from '../client/exchange.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { discover, NO_FACTS } from '../discovery/discover.ts';
import type { Facts } from '../discovery/facts.ts';
import { statusText } from '../rule-kit/reply-status.ts';
import { breadthOf, expectedMs, requestsToCome } from './pace.ts';
import { enterPhase, type Run, send, unlessStopped } from './run-state.ts';

/** Learns what the service offers, and whether there is anything to judge. */
export async function discoverService(run: Run): Promise<void> {
  enterPhase(run, 'discovery');
  const { chains } = run.options;
  const get = (target: RequestTarget) => send(run, target);
  const facts = await unlessStopped(discover({ get, chains }), NO_FACTS);
  run.facts = facts;
  run.unreachable ??= describeUnlisted(chains, facts);
  if (run.unreachable === undefined && facts.chains.length === 0) {
    run.unreachable = await unlessStopped(describeRefusedKey(get), undefined);
  }
  for (const { chainId, hasUnreadableAmounts } of facts.markets.values()) {
    if (hasUnreadableAmounts) run.remarks.push(unreadableWords(chainId));
  }
  if (run.unreachable === undefined) {
    const [expected, breadth] = [expectedMs(run), breadthOf(run)];
    run.expectedRequests = run.scheduler.sent() + requestsToCome(run);
    run.listener({ type: 'discovery-finished', facts, expectedMs: expected, breadth });
    return;
  }
  run.scheduler.stop(run.unreachable);
  // What answers another's key, say, tells nothing of what the service promises.
  run.ledger.forget();
}

function unreadableWords(chainId: number): string {
  return `plans on chain ${chainId} were returned, but their amounts cannot be read: rules that compare amounts saw none`;
}

/** Says which of the chains that the user named the service does not list, where it lists any. */
function describeUnlisted(wanted: readonly number[], { chains }: Facts): string | undefined {
  const ids = chains.map(({ chainId }) => chainId);
  const unlisted = wanted.filter((id) => !ids.includes(id));
  if (ids.length === 0 || unlisted.length === 0) return undefined;
  const listed = ids.slice(0, 20).join(', ');
  return `/chains does not list chain ${unlisted.join(', ')}, only ${listed}${ids.length > 20 ? ' and more' : ''}.`;
}

/** What may answer a key that is not known; "Response to a missing or invalid key [...]: not shown". */
const REFUSALS: readonly unknown[] = [400, 401, 403];

/** One request of each lookup; what the chain is matters little to a service that refuses the key. */
const LOOKUPS: readonly { readonly path: string; readonly query: Query }[] = [
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
async function describeRefusedKey(
  get: (target: RequestTarget) => Promise<Exchange>,
): Promise<string | undefined> {
  let refusal = '';
  for (const { path, query } of LOOKUPS) {
    const own = await get({ path, query });
    if (!REFUSALS.includes(statusOf(own))) return undefined;
    const other: Query = [...query, ['apiKey', 'swapcheck-unknown-key']];
    const unknown = await get({ path, query: other, key: 'as-written' });
    if (statusText(own) !== statusText(unknown)) return undefined;
    refusal ||= statusText(own);
  }
  return `The service refuses the API key as it refuses an unknown one, with ${refusal}: name a valid key by --api-key or SWAPCHECK_API_KEY.`;
}
