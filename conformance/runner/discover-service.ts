import type { Exchange } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import { type Depth, describeUnexplored, discover } from '../discovery/discover.ts';
import { explainRejection } from '../discovery/explain-rejection.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Run } from './run-state.ts';

/**
 * Discovers the chains, tokens and plans of the service, and whether there is anything to judge.
 */
export async function discoverService(run: Run): Promise<void> {
  run.enterPhase('discovery');
  const { chains, user, seed } = run.options;
  const get = (target: RequestTarget) => run.trySend(target);
  const facts = await discover({
    ...{ get, chains, user, seed },
    depth: depthNeededBy(run.operations),
    breadth: () => run.pace.discoveryBreadth(),
  });
  run.facts = facts;
  run.pace.chains = facts.markets.size;
  run.unreachable ??=
    describeUnlistedChains(chains, facts) ??
    describeUnlistedChains(run.options.forkedChains ?? [], facts, ', which --fork names');
  if (run.unreachable === undefined && facts.chains.length === 0) {
    run.unreachable = await describeGeneralRejection(get, run.options.service.client.keyMistakes);
  }
  for (const { chainId, hasUnreadableAmounts } of facts.markets.values()) {
    if (hasUnreadableAmounts) run.remarks.push(describeUnreadable(chainId));
  }
  const unexplored = describeUnexplored(facts);
  if (unexplored !== undefined) run.remarks.push(unexplored);
  if (run.unreachable === undefined) {
    run.listener({
      ...{ type: 'discovery-finished', facts },
      ...{ expectedMs: run.pace.expectedMs(), slowdown: run.pace.slowdown() },
    });
    return;
  }
  run.scheduler.stop(run.unreachable);
  // The replies to these requests may come from another server, so they do not count.
  run.ledger.forget();
}

function depthNeededBy(operations: Run['operations']): Depth {
  if (operations === undefined || operations.has('swap')) return 'plans';
  return operations.has('tokens') || operations.has('chainInfo') ? 'lookups' : 'chains';
}

function describeUnreadable(chainId: number): string {
  return `plans on chain ${chainId} were returned, but their amounts cannot be read, so rules that compare amounts did not judge them`;
}

function describeUnlistedChains(
  wanted: readonly number[],
  { chains }: Facts,
  what = '',
): string | undefined {
  const ids = chains.map(({ chainId }) => chainId);
  const unlisted = wanted.filter((id) => !ids.includes(id));
  if (ids.length === 0 || unlisted.length === 0) return undefined;
  const listed = ids.slice(0, 20).join(', ');
  return `/chains does not list chain ${unlisted.join(', ')}${what}, only ${listed}${ids.length > 20 ? ' and more' : ''}.`;
}

async function describeGeneralRejection(
  get: (target: RequestTarget) => Promise<Exchange>,
  keyMistakes: readonly string[],
): Promise<string | undefined> {
  const rejection = await explainRejection(get);
  if (rejection === undefined) return undefined;
  if (rejection.cause === 'redirect') {
    return `The service redirects every request to ${rejection.baseUrl}: pass that URL.`;
  }
  const { cause, answer } = rejection;
  const fix = ['pass a valid key with --api-key or SWAPCHECK_API_KEY', ...keyMistakes].join('; ');
  return cause === 'key'
    ? `The service rejects the API key as it rejects an unknown key (${answer}). To fix this, ${fix}.`
    : `The service rejects every request in the same way, with or without a key: ${answer}. If the key is valid, the service may require a header (--header) or another address (--proxy).`;
}
