import { keccak256 } from 'viem';
import type { SettledPlan, Trade } from '../../model/settlement.ts';
import type { ForkedMarket } from '../fork/fork.ts';
import { ampleCircumstances } from '../scenario/circumstances.ts';
import { scenarioOf, withinGasLimit } from '../scenario/scenario.ts';
import { type Impossible, impossible, isImpossible } from '../settle/impossible.ts';
import { combine } from '../settle/provision.ts';
import { isSamePlan } from '../settle/read-swap-plan.ts';
import { simulate } from '../settle/simulate.ts';
import {
  isBeyond,
  isWithin,
  lossBps,
  type MovedMarket,
  marketsByCalldata,
  marketsByPools,
} from './moved-markets.ts';
import { ownSample, type Row } from './row.ts';
import { requestTrade } from './settle-until-final.ts';

const NO_PROTECTION_BPS = 10_000;

const NOT_SETTLED = 'its calldata does not settle on the market as it is';
export const NOT_MOVED_ENOUGH = 'no price was moved far enough to judge it';

/**
 * Moves the price against the user in the pools of each plan, by slightly more and slightly less
 * than the tolerance.
 */
export const WORSE_PRICES: Row<'price-moved'> = {
  kind: 'price-moved',
  sampleOf: ownSample,
  change: async (forked, settled) => {
    if (settled.effects.kind === 'reverted') return impossible(NOT_SETTLED);
    const { fork } = forked;
    const { request, exchange, plan, transaction } = settled;
    const trade = { request, exchange, plan, transaction };
    const markets = await marketsOf(forked, trade);
    if (isImpossible(markets)) return markets;
    const beyond = markets.find((market) => isBeyond(market, trade));
    const within = isSplitOutput(trade)
      ? undefined
      : markets.findLast((market) => isWithin(market, trade));
    const chosen = [beyond, within].filter((market) => market !== undefined);
    if (chosen.length === 0) return impossible(NOT_MOVED_ENOUGH);
    const { funds, fields } = ampleCircumstances(fork);
    // A limit on the receiver's balance, instead of on its increase, then protects nothing.
    const holding = { funds: { ...funds, bought: 'some' }, fields } as const;
    const scenario = await scenarioOf(fork, trade, holding);
    if (isImpossible(scenario)) return scenario;
    // A revert shows protection only if the trade settles at another price.
    if (within === undefined) {
      const { outcome } = await simulate(fork, scenario);
      if (outcome !== 'settled') return impossible(NOT_SETTLED);
    }
    const toleranceBps = request.slippageBps ?? 0;
    // In two of three trades, a revert with the service's gas limit is enough.
    const isLimited = BigInt(keccak256(transaction.calldata)) % 3n !== 0n;
    const { gas } = isLimited ? withinGasLimit(scenario, transaction) : scenario;
    return chosen.map((market) => ({
      scenario: {
        ...scenario,
        ...combine(scenario, market.provision),
        ...(market === beyond && { gas }),
      },
      evidenceOf: ({ now, effects }) => ({
        request,
        exchange,
        plan,
        now,
        effects,
        toleranceBps,
        movedBps: lossBps(trade, market),
      }),
    }));
  },
};

/**
 * Returns markets in which a trade's result is just within or just beyond its limit. If some pools
 * cannot be moved, measures the markets with the service's calldata.
 */
async function marketsOf(
  forked: ForkedMarket,
  trade: Trade,
): Promise<readonly MovedMarket[] | Impossible> {
  const markets = await marketsByPools(forked.fork, trade);
  if (!isImpossible(markets)) return markets;
  const unprotected = await withoutProtection(forked, trade);
  if (unprotected === undefined) return markets;
  const found = await marketsByCalldata(forked.fork, trade, unprotected);
  return isImpossible(found) ? impossible(`${markets.why}, and ${found.why}`) : found;
}

/** Returns the same plan with calldata that tolerates any price, if the service returns it. */
async function withoutProtection(forked: ForkedMarket, trade: Trade): Promise<Trade | undefined> {
  if (trade.request.slippageBps === NO_PROTECTION_BPS) return trade;
  const other = await requestTrade(forked, { ...trade.request, slippageBps: NO_PROTECTION_BPS });
  return other !== undefined && isSamePlan(other.plan, trade.plan) ? other : undefined;
}

/**
 * Returns whether a plan splits an exact output. For such a plan, a router may limit each path
 * rather than the whole output, although one path may have moved further. Or it may buy the planned
 * amount in each pool. The specification does not define what the router must settle then.
 */
export function isSplitOutput({ request, plan }: Pick<SettledPlan, 'request' | 'plan'>): boolean {
  // A plan may use one pool twice.
  const swaps = new Map(
    plan.steps.flatMap(({ pool, from, to }) =>
      from.map(({ token }) => [[pool, token, ...to.map((each) => each.token)].join(' '), token]),
    ),
  );
  const sold = [...swaps.values()];
  return request.swapKind === 'exact-output' && new Set(sold).size < sold.length;
}
