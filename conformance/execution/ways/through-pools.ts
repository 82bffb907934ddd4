import PQueue from 'p-queue';
import type { RouterName } from '../../contract/resources.ts';
import type { ChainMarket } from '../../discovery/facts.ts';
import type { Executed, SkippedPlan } from '../../model/executor.ts';
import type { PooledPlan, Quote } from '../../model/settlement.ts';
import { describeTrade, type TradeRequest } from '../../model/trade-request.ts';
import { isPaidByPools } from '../../rule-kit/pool-payments.ts';
import type { ForkedMarket } from '../fork/fork-session.ts';
import { readDecimals } from '../fork/inspect-tokens.ts';
import { settlePools } from '../fork/pool-scenario.ts';
import { poolsWithoutCode } from '../fork/pools-without-code.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { chooseRequests, targetInNotation, tradePair } from '../requests/choose-requests.ts';
import { readSwapPlan } from '../settle/read-swap-plan.ts';
import { isUnmoved, LOST } from './as-returned.ts';

/** Maximum plans on each chain, besides those that are needed for further tokens. */
const MAX_PLANS = 24;
/** Maximum requests for a plan if the market may have moved away from its quote. */
const MAX_ATTEMPTS = 3;
const CONCURRENT_TRADES = 16;

/**
 * Requests plans without calldata, and settles them through their pools. Plans whose pools cannot be
 * traded with are among the items, for rules that need no settlement, and among the skipped plans.
 *
 * @see Specification 1.2
 */
export async function settleByPools(
  forked: ForkedMarket,
  plans: number,
): Promise<Executed<PooledPlan>> {
  const items: PooledPlan[] = [];
  const skipped: SkippedPlan[] = [];
  let waiting = requestsFor(forked, Math.min(plans, MAX_PLANS));
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    const batch = await settleBatch(forked, waiting);
    const isLast = attempt === MAX_ATTEMPTS || isUnmoved(forked);
    const failed = isLast ? [] : batch.items.filter((item) => !isPaidByPools(item));
    items.push(...batch.items.filter((item) => !failed.includes(item)));
    skipped.push(...batch.skipped);
    waiting = failed.map(({ request }) => request);
  }
  const unknown = items.flatMap(({ request, pools }) =>
    pools.kind === 'unknown' ? [skip(request, 'not-traded', pools.reason)] : [],
  );
  return { items, skipped: [...skipped, ...unknown] };
}

/** Returns trades of every kind through every router, and further ones for tokens that those lack. */
function requestsFor(
  { market, service, session }: ForkedMarket,
  count: number,
): readonly TradeRequest[] {
  const routers: readonly RouterName[] =
    market.routers.size > 0 ? [...market.routers.keys()] : [DEFAULT_ROUTER];
  const asIfEncoded: ChainMarket = {
    ...market,
    routers: new Map(routers.map((router) => [router, 'calldata'] as const)),
  };
  const { accounts } = session;
  const chosen = chooseRequests(asIfEncoded, { seed: service.seed, accounts }, count);
  const known = new Set(chosen.flatMap(({ sell, buy }) => [sell.address, buy.address]));
  const others = market.pairs.flatMap((pair) => {
    if ([pair.sell, pair.buy].every(({ address }) => known.has(address))) return [];
    known.add(pair.sell.address).add(pair.buy.address);
    const [router = DEFAULT_ROUTER] = routers;
    const form = { router, swapKind: 'exact-input', slippageBps: undefined } as const;
    return [tradePair(market, pair, { ...form, user: accounts.user, recipient: undefined })];
  });
  const plain = { slippageBps: undefined, recipient: undefined, useRfq: false };
  return [...chosen, ...others].map((request) => ({ ...request, ...plain }));
}

const DEFAULT_ROUTER: RouterName = 'default-router';

/** Requests plans at once, brings the fork up to date, and settles the plans. */
async function settleBatch(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<Executed<PooledPlan>> {
  const { service, session } = forked;
  const replies = await Promise.all(
    requests.map(async (request) => ({
      request,
      exchange: await service.get(targetInNotation(request)),
    })),
  );
  await session.refresh();
  const unmoved = isUnmoved(forked);
  const quotes = replies.flatMap(({ request, exchange }): Quote[] => {
    const plan = readSwapPlan(exchange);
    return plan === undefined ? [] : [{ request, exchange, plan }];
  });
  const settleOne = (quote: Quote) => async () => {
    const { plan } = quote;
    return undefinedIfNodeFailed(async () => ({
      ...quote,
      unmoved,
      ...(await settlePools(session, quote)),
      decimalsOnChain: await readDecimals(session, plan.tokens),
      poolsWithoutCode: await poolsWithoutCode(session, plan),
    }));
  };
  const settled = await new PQueue({ concurrency: CONCURRENT_TRADES }).addAll(
    quotes.map(settleOne),
  );
  return {
    items: settled.filter((item) => item !== undefined),
    skipped: quotes.flatMap(({ request }, index) =>
      settled[index] === undefined ? [skip(request, 'not-read', LOST)] : [],
    ),
  };
}

function skip(request: TradeRequest, kind: SkippedPlan['kind'], reason: string): SkippedPlan {
  return { trade: describeTrade(request), kind, reason };
}
