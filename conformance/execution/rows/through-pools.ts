import type { RouterName } from '../../contract/resources.ts';
import type { ChainMarket } from '../../discovery/facts.ts';
import type { Executed } from '../../model/executor.ts';
import type { PooledPlan, SwapPlan } from '../../model/settlement.ts';
import type { Address, TradeRequest } from '../../model/trade-request.ts';
import { isPaidByPools } from '../../rule-kit/pool-payments.ts';
import type { Fork, ForkedMarket } from '../fork/fork.ts';
import { readDecimals } from '../fork/inspect-tokens.ts';
import { settlePools } from '../fork/pool-scenario.ts';
import { chooseRequests, tradePair } from '../requests/choose-requests.ts';
import { poolsOf } from '../settle/read-swap-plan.ts';
import { requestQuotes, settleUntilFinal, skip } from './settle-until-final.ts';

const MAX_PLANS = 24;

/**
 * Requests plans without calldata, and settles them through their pools. A plan whose pools cannot
 * be traded with is both an item, for rules that need no settlement, and a skipped plan.
 *
 * @see Specification 1.2
 */
export async function settleByPools(
  forked: ForkedMarket,
  plans: number,
): Promise<Executed<PooledPlan>> {
  const { fork } = forked;
  const requests = requestsFor(forked, Math.min(plans, MAX_PLANS));
  const { items, skipped } = await settleUntilFinal(forked, requests, {
    request: requestQuotes,
    settle: async (quote, { frozen }): Promise<PooledPlan> => ({
      ...quote,
      frozen,
      ...(await settlePools(fork, quote)),
      decimalsOnChain: await readDecimals(fork, quote.plan.tokens),
      poolsWithoutCode: await poolsWithoutCode(fork, quote.plan),
    }),
    isFailed: (item) => !isPaidByPools(item),
  });
  const unknown = items.flatMap(({ request, pools }) =>
    pools.kind === 'unknown' ? [skip(request, 'not-traded', pools.reason)] : [],
  );
  return { items, skipped: [...skipped, ...unknown] };
}

/**
 * Returns the pools of a plan that have no code. Skips pools of a singleton contract, whose
 * identifiers are longer than addresses.
 */
async function poolsWithoutCode(fork: Fork, plan: SwapPlan): Promise<readonly Address[]> {
  const pools = poolsOf(plan);
  const haveCode = await Promise.all(pools.map((pool) => fork.hasCode(pool)));
  return pools.filter((_, index) => !haveCode[index]);
}

/** Covers every kind of trade through every router, and then the tokens that those trades lack. */
function requestsFor(
  { market, service, fork }: ForkedMarket,
  count: number,
): readonly TradeRequest[] {
  const routers: readonly RouterName[] =
    market.routers.size > 0 ? [...market.routers.keys()] : [DEFAULT_ROUTER];
  const asIfEncoded: ChainMarket = {
    ...market,
    routers: new Map(routers.map((router) => [router, 'calldata'] as const)),
  };
  const { accounts } = fork;
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
