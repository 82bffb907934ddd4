import { type Balance, balancePlan, type Imbalance } from '../../checks/conservation.ts';
import type { Plan } from '../../checks/plan.ts';
import { memoize } from '../../checks/reply-body.ts';
import type { Reply } from '../../client/exchange.ts';
import type { Rule } from '../../model/rule.ts';
import { type Fault, verdictOf } from '../../rule-kit/faults.ts';
import { planOf, tokenAt } from '../../rule-kit/plan-of-reply.ts';
import { inPlan, type Judge, none } from '../../rule-kit/reply-judges.ts';
import { replyRules } from '../../rule-kit/rules-by-id.ts';

/*
 * "The plan is a set of swaps (routes) through liquidity sources. The swaps form
 * a directed acyclic graph that converts the sell token into the buy token."
 */
const words: Readonly<
  Record<Imbalance['place'], (imbalance: Imbalance, pointer: string) => Fault>
> = {
  sell: ({ inflow, outflow, referenceId }) => ({
    expected: `routes spend exactly what is sold: ${inflow} of token ${referenceId}`,
    actual: `they spend ${outflow} of token ${referenceId}`,
    pointer: '/sell/amount',
  }),
  buy: ({ inflow, outflow, referenceId, allowed }) => ({
    expected: `\`buy.amount\` is what the routes yield: ${inflow} of token ${referenceId} (within ${allowed} base units)`,
    actual: `it is ${outflow} of token ${referenceId}`,
    pointer: '/buy/amount',
  }),
  between: ({ inflow, outflow, referenceId, allowed }, pointer) => ({
    expected: `what flows in flows out: ${inflow} of token ${referenceId} (within ${allowed} base units)`,
    actual: `${outflow} of token ${referenceId} flows out`,
    pointer,
  }),
};

function isBalanced(place: Imbalance['place']): Judge {
  return ({ reply, tolerancePpm }) => {
    const view = planOf(reply);
    if (view === undefined) return undefined;
    const { imbalances, largestDust } = balanceOf(reply, view.plan, tolerancePpm);
    const verdict = verdictOf(
      imbalances.filter((each) => each.place === place),
      (imbalance) =>
        words[place](imbalance, tokenAt(reply, imbalance.referenceId)?.pointer ?? '/routes'),
    );
    if (place !== 'between' || largestDust === undefined) return verdict;
    const { baseUnits, partsPerMillion, referenceId } = largestDust;
    const { address, symbol, decimals } = tokenAt(reply, referenceId) ?? {};
    const token = address ?? `referenceId ${referenceId}`;
    return { ...verdict, dust: { baseUnits, partsPerMillion, token, symbol, decimals } };
  };
}

const balances = memoize((): { tolerancePpm?: number; balance?: Balance } => ({}));

/** Three rules ask for the balance of each plan. */
function balanceOf(reply: Reply, plan: Plan, tolerancePpm: number): Balance {
  const known = balances(reply);
  const balance = known.tolerancePpm === tolerancePpm ? known.balance : undefined;
  known.tolerancePpm = tolerancePpm;
  known.balance = balance ?? balancePlan(plan, tolerancePpm);
  return known.balance;
}

/** @see Specification 1.1 */
export const rules: readonly Rule[] = replyRules('swap', {
  'plan/acyclic': {
    clause: '1.1 acyclic',
    must: 'returns routes without a cycle',
    judge: none(
      inPlan(({ graph: { cycle } }) => (cycle.length === 0 ? [] : [{ pointer: '/routes', cycle }])),
      'no path along the routes from a token back to itself',
      ({ cycle }) =>
        `a cycle of ${cycle.length} tokens: ${[...cycle.slice(0, 8), cycle[0]].join(' -> ')}`,
    ),
  },
  'plan/sell-reaches-buy': {
    clause: '1.1 converts',
    must: 'returns routes that lead from the sell token to the buy token',
    judge: none(
      inPlan(({ graph, plan }) => (graph.sellReachesBuy ? [] : [{ ...plan, pointer: '/routes' }])),
      ({ sell, buy }) =>
        `a path along the routes from ${sell.referenceId} (sell) to ${buy.referenceId} (buy)`,
      'none',
    ),
  },
  'plan/no-self-loop': {
    clause: '1.1 acyclic',
    must: 'swaps no token for itself',
    judge: none(
      inPlan(({ graph }) => graph.selfLoops),
      'different tokens in `fromTokens` and `toTokens`',
      'one token in both',
    ),
  },
  'plan/routes-on-path': {
    clause: '1.1 converts',
    must: 'returns only routes on a path from the sell token to the buy token',
    judge: none(
      inPlan(({ graph }) => graph.offPath),
      'a route that the sell token reaches and that reaches the buy token',
      'a route off every such path',
    ),
  },
  'plan/nothing-into-sell': {
    clause: '1.1 converts',
    must: 'returns no route into the sell token',
    judge: none(
      inPlan(({ graph }) => graph.intoSell),
      'routes only out of the sell token',
      'the sell token in `toTokens`',
    ),
  },
  'plan/nothing-out-of-buy': {
    clause: '1.1 converts',
    must: 'returns no route out of the buy token',
    judge: none(
      inPlan(({ graph }) => graph.outOfBuy),
      'routes only into the buy token',
      'the buy token in `fromTokens`',
    ),
  },
  'plan/conserves-sell': {
    clause: '1.1 converts',
    must: 'spends exactly the sell amount in its routes',
    judge: isBalanced('sell'),
  },
  'plan/conserves-buy': {
    clause: '1.1 converts',
    must: 'yields the buy amount from its routes',
    judge: isBalanced('buy'),
  },
  'plan/conserves-between': {
    clause: '1.1 converts',
    must: 'passes on all that flows into an intermediate token',
    judge: isBalanced('between'),
  },
});
