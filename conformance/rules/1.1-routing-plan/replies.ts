import { type Balance, balancePlan, type Imbalance } from '../../checks/conservation.ts';
import type { Plan } from '../../checks/plan.ts';
import { memoize } from '../../checks/reply-body.ts';
import type { Reply } from '../../client/exchange.ts';
import type { Rule } from '../../model/rule.ts';
import { amountIn, note, quote, type Statement, words } from '../../model/statement.ts';
import { quotedText } from '../../model/statement-text.ts';
import { type Fault, verdictOf } from '../../rule-kit/faults.ts';
import { planOf, tokenAt } from '../../rule-kit/plan-of-reply.ts';
import { inPlan, type Judge, none } from '../../rule-kit/reply-judges.ts';
import { replyRules } from '../../rule-kit/rules-by-id.ts';

/*
 * "The plan is a set of swaps (routes) through liquidity sources. The swaps form
 * a directed acyclic graph that converts the sell token into the buy token."
 */
const faultsAt: Readonly<
  Record<Imbalance['place'], (imbalance: Imbalance, pointer: string) => Fault>
> = {
  sell: ({ inflow, outflow, referenceId }) => ({
    expected: words`routes spend exactly what is sold: ${amountIn(inflow, { referenceId })}`,
    actual: words`they spend ${amountIn(outflow, { referenceId })}`,
    pointer: '/sell/amount',
  }),
  buy: ({ inflow, outflow, referenceId, allowed }) => ({
    expected: words`\`buy.amount\` is what the routes yield: ${amountIn(inflow, { referenceId })} (within ${allowed})`,
    actual: words`it is ${amountIn(outflow, { referenceId })}`,
    pointer: '/buy/amount',
  }),
  between: ({ inflow, outflow, referenceId, allowed }, pointer) => ({
    expected: words`what flows in flows out: ${amountIn(inflow, { referenceId })} (within ${allowed})`,
    actual: words`${amountIn(outflow, { referenceId })} flows out`,
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
        faultsAt[place](imbalance, tokenAt(reply, imbalance.referenceId)?.pointer ?? '/routes'),
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

/** Returns the tokens along a path, none of which distinguishes a cause. */
function pathOf(tokens: readonly unknown[]): Statement {
  return [note(tokens.map(quotedText).join(' -> '))];
}

/** @see Specification 1.1 */
export const rules: readonly Rule[] = replyRules('swap', {
  'plan/acyclic': {
    clause: '1.1 acyclic',
    must: 'returns routes without a cycle',
    judge: none(
      inPlan(({ graph: { cycle } }) => (cycle.length === 0 ? [] : [{ pointer: '/routes', cycle }])),
      words`no path along the routes from a token back to itself`,
      ({ cycle }) =>
        words`a cycle of ${cycle.length} tokens: ${pathOf([...cycle.slice(0, 8), cycle[0]])}`,
    ),
  },
  'plan/sell-reaches-buy': {
    clause: '1.1 converts',
    must: 'returns routes that lead from the sell token to the buy token',
    judge: none(
      inPlan(({ graph, plan }) => (graph.sellReachesBuy ? [] : [{ ...plan, pointer: '/routes' }])),
      ({ sell, buy }) =>
        words`a path along the routes from ${quote(sell.referenceId)} (sell) to ${quote(buy.referenceId)} (buy)`,
      words`none`,
    ),
  },
  'plan/no-self-loop': {
    clause: '1.1 acyclic',
    must: 'swaps no token for itself',
    judge: none(
      inPlan(({ graph }) => graph.selfLoops),
      words`different tokens in \`fromTokens\` and \`toTokens\``,
      words`one token in both`,
    ),
  },
  'plan/routes-on-path': {
    clause: '1.1 converts',
    must: 'returns only routes on a path from the sell token to the buy token',
    judge: none(
      inPlan(({ graph }) => graph.offPath),
      words`a route that the sell token reaches and that reaches the buy token`,
      words`a route off every such path`,
    ),
  },
  'plan/nothing-into-sell': {
    clause: '1.1 converts',
    must: 'returns no route into the sell token',
    judge: none(
      inPlan(({ graph }) => graph.intoSell),
      words`routes only out of the sell token`,
      words`the sell token in \`toTokens\``,
    ),
  },
  'plan/nothing-out-of-buy': {
    clause: '1.1 converts',
    must: 'returns no route out of the buy token',
    judge: none(
      inPlan(({ graph }) => graph.outOfBuy),
      words`routes only into the buy token`,
      words`the buy token in \`fromTokens\``,
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
