import type { ChainMarket, Facts } from '../discovery/facts.ts';
import { createDeck } from '../generate/deck.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import type {
  Executed,
  Execution,
  Executor,
  OpenExecutor,
  SkippedPlan,
} from '../model/executor.ts';
import type { Evidence, EvidenceKind, SettledPlan } from '../model/settlement.ts';
import { type TradeRequest, targetOf } from '../model/trade-request.ts';
import { chooseRequests, OTHER_USER, SWAP_KINDS, tradePair, USER } from './choose-requests.ts';
import { encodeUniversal } from './encode-universal.ts';
import { explainSettlement } from './explain-settlement.ts';
import { findOddities } from './find-oddities.ts';
import { findShapes } from './find-shapes.ts';
import { type ForkSource, isForkError } from './fork.ts';
import { type ForkSession, NEXT_BLOCK_S, openForkSession } from './fork-session.ts';
import { movePrices } from './move-prices.ts';
import { undefinedIfNodeFailed } from './node-losses.ts';
import type { PlannedTrade } from './planned-trade.ts';
import { isSamePlan, readAddress, readSwapPlan } from './read-swap-plan.ts';
import { recordReplay } from './replay-evidence.ts';
import { type ForkedMarket, isUnmoved, type OwnEncoding, settleTrades } from './settle-trades.ts';
import { checkTrades } from './try-trades.ts';

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
  'own-encoding': settleOwnEncodings,
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
    const chains = chainsToFork(facts, forks);
    if (!Array.isArray(chains)) return { kind: 'not-applicable', why: chains };
    const share = Math.ceil(plans / chains.length);
    let done: readonly Executed<Evidence[Kind]>[];
    try {
      done = await allOrFirstError(
        chains.map(async ({ source, market }) => {
          const session = await sessionOn(source);
          if (!opened.includes(session)) opened.push(session);
          return WAYS[kind]({ service, market, session }, share);
        }),
      );
    } catch (error) {
      if (isForkError(error)) return { kind: 'could-not-run', why: error.message };
      throw error;
    }
    const items = done.flatMap((each) => each.items);
    const skipped = done.flatMap((each) => each.skipped);
    const wanted = new Map(done.flatMap((each) => [...(each.wanted ?? [])]));
    settled.push(...items.map(() => undefined), ...skipped);
    const lost = remarksOf(opened);
    if (items.length === 0 && lost.length > 0) return { kind: 'could-not-run', why: NOTHING_READ };
    return { kind: 'executed', items, skipped, wanted };
  }

  return {
    execute,
    explain: async (item) => {
      const session = opened.find(({ chainId }) => chainId === item.effects.scene?.chainId);
      const market = facts.markets.get(session?.chainId ?? 0);
      if (session === undefined || market === undefined) return undefined;
      return undefinedIfNodeFailed(async () => {
        const explained = await explainSettlement({ service, market, session }, item);
        return explained && { explained, state: await recordReplay(session, explained) };
      });
    },
    remarks: () => [...remarksOf(opened), ...unfundedRemark(settled)],
    close: async () => {
      const ended = await Promise.allSettled(sessions.values());
      sessions.clear();
      await Promise.all(
        ended.map((session) => (session.status === 'fulfilled' ? session.value.stop() : undefined)),
      );
    },
  };
}

/** Returns all results; throws the first error only after all work has ended. */
async function allOrFirstError<Result>(work: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

const NOTHING_READ =
  'no plan could be settled: the nodes of the forked chains did not give what was read';

/** Returns the number of trades that were not settled because the user could not be funded. */
function unfundedRemark(trades: readonly (SkippedPlan | undefined)[]): readonly string[] {
  const unfunded = trades.filter((each) => each?.kind === 'not-funded');
  const [first] = unfunded;
  if (first === undefined) return [];
  return [
    `${unfunded.length} of ${trades.length} trades were not settled, such as ${first.trade}: ${first.reason}`,
  ];
}

/** Returns the faults of nodes, each once. */
function remarksOf(sessions: readonly ForkSession[]): readonly string[] {
  return [...new Set(sessions.flatMap((session) => session.fork().losses()))];
}

type ChainToFork = { readonly source: ForkSource; readonly market: ChainMarket };

/** Returns the given chains that are served and have a router with calldata, or the reason why there is none. */
function chainsToFork({ markets }: Facts, forks: readonly ForkSource[]): ChainToFork[] | string {
  const served = forks.flatMap((source): ChainToFork[] => {
    const market = markets.get(source.chainId);
    return market === undefined ? [] : [{ source, market }];
  });
  const hex = served.filter(({ market }) => market.addresses === 'evm');
  const chains = hex.filter(
    ({ market }) => market.pairs.length > 0 && calldataRoutersOf(market).length > 0,
  );
  if (chains.length > 0) return chains;
  const named = forks.map(({ chainId }) => chainId).join(', ');
  if (served.length === 0) return `the service does not list the forked chain ${named}`;
  if (hex.length === 0) return `chain ${named} is not an EVM chain`;
  const requested = [...new Set(hex.flatMap(({ market }) => market.requestedRouters ?? []))];
  if (requested.length === 0) return `no pair returned a plan on chain ${named}`;
  return `chain ${named} returned no calldata for the requested routers, ${requested.join(', ')}: pass --router-name OURS=THEIRS if the service has other names for them`;
}

const ROUTER = 'universal-router';
const WITHOUT_CALLDATA = { router: ROUTER, slippageBps: undefined, recipient: undefined } as const;
/** Maximum plans on each chain that are encoded. */
const MAX_ENCODED_PLANS = 16;
const UNLIMITED = 10_000;
const AMPLE_GAS = 16_000_000n;
const AMPLE_TIME_S = 3_600;

/**
 * Requests plans of the universal router without calldata, encodes and settles them as any client
 * could; if the market moves, the yield of the service's calldata for the same plan is measured, too.
 *
 * @see Specification 1.2
 */
async function settleOwnEncodings(
  forked: ForkedMarket,
  plans: number,
): Promise<Executed<SettledPlan>> {
  const { service, market, session } = forked;
  const info = service.facts.chainInfo.get(market.chainId);
  const router = readAddress(info?.routers.find(({ name }) => name === ROUTER)?.deployedAddress);
  if (router === undefined || !market.routers.has(ROUTER)) return { items: [], skipped: [] };
  const deck = createDeck(market.pairs, service.seed);
  const length = Math.min(plans, MAX_ENCODED_PLANS, market.pairs.length);
  const requests = Array.from({ length }, (_, index) => {
    const swapKind = SWAP_KINDS[index % 2] ?? 'exact-input';
    return tradePair(market, deck.deal(), { ...WITHOUT_CALLDATA, swapKind });
  });
  const theirs = new Map<TradeRequest, PlannedTrade>();
  const encode: OwnEncoding['encode'] = async (request, plan) => {
    const { sell, buy } = request;
    if (!isUnmoved(forked)) {
      const asked = readSwapPlan(
        await service.get(targetOf({ ...request, slippageBps: UNLIMITED })),
      );
      const { transaction } = asked ?? {};
      if (asked && transaction && isSamePlan(asked, plan))
        theirs.set(request, { request, plan, transaction });
    }
    const encoded = await encodeUniversal(session.rpc(), {
      router,
      plan,
      sellNative: sell.native,
      buyNative: buy.native,
      leastBought: 0n,
      deadline: session.blockTimeIn(NEXT_BLOCK_S) + AMPLE_TIME_S,
    });
    return encoded.startsWith('0x')
      ? { router, calldata: encoded as `0x${string}`, gasLimit: AMPLE_GAS }
      : encoded;
  };
  const alternativeYields: OwnEncoding['alternativeYields'] = async (trades) => {
    const beside = trades.map(({ request }) => theirs.get(request));
    const timestamp = session.blockTimeIn(NEXT_BLOCK_S);
    const known = beside.filter((trade) => trade !== undefined);
    const outcomes = await checkTrades(
      session,
      known.map((trade) => ({ ...trade, timestamp, expected: 'settled' })),
    );
    return beside.map((trade) => {
      const did = trade && outcomes[known.indexOf(trade)];
      return did?.kind === 'settled' ? did.received : undefined;
    });
  };
  return settleTrades(forked, requests, { encode, alternativeYields });
}
