import { type Balance, balancePlan, type Imbalance } from '../../checks/conservation.ts';
import type { Plan } from '../../checks/plan.ts';
import type { GraphFaults } from '../../checks/plan-graph.ts';
import type { ReplyRule } from '../../model/rule.ts';
import { type Fault, verdictOf } from '../../rule-kit/faults.ts';
import { planOf, tokenAt } from '../../rule-kit/plan-of-reply.ts';

/*
 * "The plan is a set of swaps (routes) through liquidity sources. The swaps form
 * a directed acyclic graph that converts the sell token into the buy token."
 */
const identity = { kind: 'reply', endpoint: 'swap', level: 'must' } as const;

function graphRule(
  id: string,
  clause: '1.1 acyclic' | '1.1 converts',
  title: string,
  faultsOf: (graph: GraphFaults, plan: Plan) => readonly Fault[],
): ReplyRule {
  return {
    ...identity,
    id,
    clause,
    title,
    judge: ({ reply }) => {
      const view = planOf(reply);
      return view === undefined ? undefined : verdictOf(faultsOf(view.graph, view.plan));
    },
  };
}

const isAcyclic = graphRule(
  'plan/acyclic',
  '1.1 acyclic',
  'the routes form an acyclic graph',
  ({ cycle }) =>
    cycle.length === 0
      ? []
      : [
          {
            expected: 'no way along the routes from a token back to itself',
            actual: `a cycle of ${cycle.length} tokens: ${[...cycle.slice(0, 8), cycle[0]].join(' -> ')}`,
            pointer: '/routes',
          },
        ],
);

const sellReachesBuy = graphRule(
  'plan/sell-reaches-buy',
  '1.1 converts',
  'the routes lead from the sell token to the buy token',
  ({ sellReachesBuy: reaches }, { sell, buy }) =>
    reaches
      ? []
      : [
          {
            expected: `a way along the routes from ${sell.referenceId} (sell) to ${buy.referenceId} (buy)`,
            actual: 'none',
            pointer: '/routes',
          },
        ],
);

const noSelfLoops = graphRule(
  'plan/no-self-loop',
  '1.1 acyclic',
  'no route swaps a token for itself',
  ({ selfLoops }) =>
    selfLoops.map((pointer) => ({
      expected: 'different tokens in `fromTokens` and `toTokens`',
      actual: 'one token in both',
      pointer,
    })),
);

const noStrayRoutes = graphRule(
  'plan/routes-on-path',
  '1.1 converts',
  'every route is on a way from the sell token to the buy token',
  ({ offPath }) =>
    offPath.map((pointer) => ({
      expected: 'a route that the sell token reaches and that reaches the buy token',
      actual: 'a route beside every such way',
      pointer,
    })),
);

const nothingIntoSell = graphRule(
  'plan/nothing-into-sell',
  '1.1 converts',
  'no route swaps into the sell token',
  ({ intoSell }) =>
    intoSell.map((pointer) => ({
      expected: 'routes only out of the sell token',
      actual: 'the sell token in `toTokens`',
      pointer,
    })),
);

const nothingOutOfBuy = graphRule(
  'plan/nothing-out-of-buy',
  '1.1 converts',
  'no route swaps out of the buy token',
  ({ outOfBuy }) =>
    outOfBuy.map((pointer) => ({
      expected: 'routes only into the buy token',
      actual: 'the buy token in `fromTokens`',
      pointer,
    })),
);

const words: Readonly<Record<Imbalance['place'], (imbalance: Imbalance) => Fault>> = {
  sell: ({ inflow, outflow, referenceId }) => ({
    expected: `routes spend exactly what is sold: ${inflow} of token ${referenceId}`,
    actual: `they spend ${outflow}`,
    pointer: '/sell/amount',
  }),
  buy: ({ inflow, outflow, referenceId, allowed }) => ({
    expected: `\`buy.amount\` is what the routes yield: ${inflow} of token ${referenceId} (within ${allowed})`,
    actual: `it is ${outflow}`,
    pointer: '/buy/amount',
  }),
  between: ({ inflow, outflow, referenceId, allowed }) => ({
    expected: `what flows into token ${referenceId} flows out of it: ${inflow} (within ${allowed})`,
    actual: `${outflow} flows out`,
    pointer: '/routes',
  }),
};

function balanceRule(place: Imbalance['place'], id: string, title: string): ReplyRule {
  return {
    ...identity,
    id,
    clause: '1.1 converts',
    title,
    judge: ({ reply, tolerancePpm }) => {
      const view = planOf(reply);
      if (view === undefined) return undefined;
      const { imbalances, largestDust } = balanceOf(view.plan, tolerancePpm);
      const verdict = verdictOf(
        imbalances.filter((each) => each.place === place).map(words[place]),
      );
      if (place !== 'between' || largestDust === undefined) return verdict;
      const { baseUnits, partsPerMillion, referenceId } = largestDust;
      const token = tokenAt(reply, referenceId)?.address ?? `referenceId ${referenceId}`;
      return { ...verdict, dust: { baseUnits, partsPerMillion, token } };
    },
  };
}

const balances = new WeakMap<Plan, { readonly tolerancePpm: number; readonly balance: Balance }>();

/** Three rules ask for the balance of each plan. */
function balanceOf(plan: Plan, tolerancePpm: number): Balance {
  const known = balances.get(plan);
  if (known !== undefined && known.tolerancePpm === tolerancePpm) return known.balance;
  const balance = balancePlan(plan, tolerancePpm);
  balances.set(plan, { tolerancePpm, balance });
  return balance;
}

/** @see Specification 1.1 */
export const routingPlanRules: readonly ReplyRule[] = [
  isAcyclic,
  sellReachesBuy,
  noSelfLoops,
  noStrayRoutes,
  nothingIntoSell,
  nothingOutOfBuy,
  balanceRule('sell', 'plan/conserves-sell', 'the routes spend exactly the sell amount'),
  balanceRule('buy', 'plan/conserves-buy', 'the routes yield the buy amount'),
  balanceRule(
    'between',
    'plan/conserves-between',
    'what flows into a token between flows out of it',
  ),
];
