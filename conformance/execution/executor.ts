import type { ChainMarket, Facts } from '../discovery/facts.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import type {
  Executed,
  Execution,
  Executor,
  Explanation,
  OpenExecutor,
  SkippedPlan,
} from '../model/executor.ts';
import type { Evidence, EvidenceKind } from '../model/settlement.ts';
import { chooseRequests, OTHER_USER, USER } from './choose-requests.ts';
import { explainSettlement } from './explain-settlement.ts';
import { findOddities } from './find-oddities.ts';
import { findShapes } from './find-shapes.ts';
import { type ForkSource, isForkError } from './fork.ts';
import { type ForkSession, openForkSession } from './fork-session.ts';
import { movePrices } from './move-prices.ts';
import { undefinedIfNodeFailed } from './node-losses.ts';
import { recordReplay } from './replay-evidence.ts';
import { type ForkedMarket, settleTrades } from './settle-trades.ts';
import { settleByPools } from './through-pools.ts';

/** Options of an executor; only the forks are required. */
export type ExecutorOptions = {
  /** Chains to fork. A chain that the service does not serve is skipped. */
  readonly forks: readonly ForkSource[];
  /** Plans settled over all chains as they are returned; default 216: two of every kind. */
  readonly plans?: number;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
};

/** Maximum plans on each chain that are sent by another than they were made for. */
const MAX_OTHERS_PLANS = 12;

/** Options for one chain; `plans` is its share of the plans of a run. */
type Ways = {
  readonly [Kind in EvidenceKind]: (
    forked: ForkedMarket,
    plans: number,
  ) => Promise<Executed<Evidence[Kind]>>;
};

const WAYS: Ways = {
  'as-returned': async (forked, plans) => {
    const { market, service, session } = forked;
    const shaped = await findShapes(forked, plans);
    const oddities = await findOddities(session, market.pairs);
    return settleTrades(forked, chooseRequests(market, service.seed, plans, shaped, oddities));
  },
  'sent-by-another': (forked, plans) => {
    const count = Math.min(plans, MAX_OTHERS_PLANS);
    const requests = chooseRequests(forked.market, forked.service.seed, count);
    const others = { wallet: OTHER_USER, recipient: undefined };
    return settleTrades(
      forked,
      requests.map((request) => ({ ...request, ...others })),
    );
  },
  'price-moved': movePrices,
  'through-pools': settleByPools,
};

/** Returns an executor of a service's plans on forks of the given chains. */
export function createExecutor(
  options: ExecutorOptions,
  service: Parameters<OpenExecutor>[0],
): Executor {
  const { forks, plans = 216, clock = Date.now } = options;
  const { facts } = service;
  const sessions = new Map<number, Promise<ForkSession>>();
  const opened: ForkSession[] = [];
  /** Obstacles to trades so far. */
  const settled: (SkippedPlan | undefined)[] = [];
  /** Reasons why plans of a chain were not settled in some way. */
  const missedChains = new Set<string>();

  function sessionOn(source: ForkSource): Promise<ForkSession> {
    const { chainId } = source;
    const session =
      sessions.get(chainId) ??
      openForkSession({
        source,
        info: facts.chainInfo.get(chainId),
        listed: (facts.tokens.get(chainId) ?? []).map(({ address }) => address),
        user: USER,
        clock,
      });
    sessions.set(chainId, session);
    return session;
  }

  async function execute<Kind extends EvidenceKind>(
    kind: Kind,
  ): Promise<Execution<Evidence[Kind]>> {
    const { chains, missed } = chainsToFork(facts, forks, kind);
    for (const why of missed) missedChains.add(why);
    if (chains.length === 0) return { kind: 'not-applicable', why: missed.join('; ') };
    const share = Math.ceil(plans / chains.length);
    let done: readonly Executed<Evidence[Kind]>[];
    try {
      done = await allOrFirstError(
        chains.map(async ({ source, market }) => {
          const session = await sessionOn(source);
          if (!opened.includes(session)) opened.push(session);
          const executed = await WAYS[kind]({ service, market, session }, share);
          if (kind === 'as-returned' && executed.items.length + executed.skipped.length === 0) {
            missedChains.add(noCalldata(market));
          }
          return executed;
        }),
      );
    } catch (error) {
      if (isForkError(error)) return { kind: 'could-not-run', why: error.message };
      throw error;
    }
    const { items, skipped, wanted } = joined(done);
    settled.push(...items.filter(isTried).map(() => undefined), ...skipped);
    const lost = remarksOf(opened);
    if (items.length === 0 && lost.length > 0) return { kind: 'could-not-run', why: NOTHING_READ };
    return { kind: 'executed', items, skipped, wanted };
  }

  return {
    execute,
    explain: (item) => explain(service, opened, item),
    remarks: () => [...remarksOf(opened), ...skippedRemarks(settled, missedChains)],
    close: async () => {
      const ended = await Promise.allSettled(sessions.values());
      sessions.clear();
      await Promise.all(
        ended.map((session) => (session.status === 'fulfilled' ? session.value.stop() : undefined)),
      );
    },
  };
}

async function explain(
  service: Parameters<OpenExecutor>[0],
  opened: readonly ForkSession[],
  item: Evidence[EvidenceKind],
): Promise<Explanation | undefined> {
  if (!('effects' in item)) return undefined;
  const session = opened.find(({ chainId }) => chainId === item.effects.scene?.chainId);
  const market = service.facts.markets.get(session?.chainId ?? 0);
  if (session === undefined || market === undefined) return undefined;
  return undefinedIfNodeFailed(async () => {
    const explained = await explainSettlement({ service, market, session }, item);
    return explained && { explained, state: await recordReplay(session, explained) };
  });
}

function joined<Item>(all: readonly Executed<Item>[]): Required<Executed<Item>> {
  return {
    items: all.flatMap(({ items }) => items),
    skipped: all.flatMap(({ skipped }) => skipped),
    wanted: new Map(all.flatMap(({ wanted = [] }) => [...wanted])),
  };
}

/** Returns all results; throws the first error only after all work has ended. */
async function allOrFirstError<Result>(work: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Plans whose pools cannot be traded with are among the skipped ones, too. */
function isTried(item: Evidence[EvidenceKind]): boolean {
  return !('pools' in item) || item.pools.kind !== 'unknown';
}

const NOTHING_READ =
  'no plan could be settled: the nodes of the forked chains did not give what was read';

/**
 * Returns why plans of whole chains were not settled, and the numbers of trades that were not because the user could not be funded, and, if a
 * chain has no calldata, because their pools cannot be traded with.
 */
function skippedRemarks(
  trades: readonly (SkippedPlan | undefined)[],
  missedChains: ReadonlySet<string>,
): readonly string[] {
  const kinds: readonly SkippedPlan['kind'][] =
    missedChains.size === 0 ? ['not-funded'] : ['not-funded', 'not-traded'];
  const counts = kinds.flatMap((kind) => {
    const ofKind = trades.filter((each) => each?.kind === kind);
    const [first] = ofKind;
    if (first === undefined) return [];
    return [
      `${ofKind.length} of ${trades.length} trades were not settled, such as ${first.trade}: ${first.reason}`,
    ];
  });
  return [...missedChains, ...counts];
}

/** Returns the faults of nodes, each once. */
function remarksOf(sessions: readonly ForkSession[]): readonly string[] {
  return [...new Set(sessions.flatMap((session) => session.fork().losses()))];
}

type ChainToFork = { readonly source: ForkSource; readonly market: ChainMarket };

/**
 * Returns the given chains on which plans can be executed in a way, and for each other chain the
 * reason why not.
 */
function chainsToFork(
  { markets }: Facts,
  forks: readonly ForkSource[],
  kind: EvidenceKind,
): { readonly chains: readonly ChainToFork[]; readonly missed: readonly string[] } {
  const chains: ChainToFork[] = [];
  const missed: string[] = [];
  for (const source of forks) {
    const market = markets.get(source.chainId);
    const why = whyNotExecuted(source.chainId, market, kind);
    if (why !== undefined) missed.push(why);
    else if (market !== undefined) chains.push({ source, market });
  }
  return { chains, missed };
}

function whyNotExecuted(
  chainId: number,
  market: ChainMarket | undefined,
  kind: EvidenceKind,
): string | undefined {
  if (market === undefined) return `the service does not list the forked chain ${chainId}`;
  if (market.addresses !== 'evm') return `chain ${chainId} is not an EVM chain`;
  if (market.pairs.length === 0) return `no pair returned a plan on chain ${chainId}`;
  if (kind === 'through-pools' || calldataRoutersOf(market).length > 0) return undefined;
  return noCalldata(market);
}

function noCalldata({ chainId, requestedRouters }: ChainMarket): string {
  const requested = [...new Set(requestedRouters)].join(', ');
  return `chain ${chainId} returned no calldata for the requested routers, ${requested}: pass --router-name OURS=THEIRS if the service has other names for them`;
}
