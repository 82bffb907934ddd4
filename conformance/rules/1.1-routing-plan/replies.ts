import type { Imbalance } from '../../checks/conservation.ts';
import type { ReferenceId } from '../../checks/plan.ts';
import type { Loose } from '../../model/breaks.ts';
import { tokenAt } from '../../model/judged-reply.ts';
import type { Fault, Rule } from '../../model/rule.ts';
import { amountIn, type Statement, token, words } from '../../model/statement.ts';
import { faultsOf } from '../../rule-kit/faults.ts';
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
    fault: outflow < inflow ? 'spends-less' : 'spends-more',
    expected: words`routes that spend exactly the sell amount: ${amountIn(inflow, { referenceId })}`,
    actual: words`routes that spend ${amountIn(outflow, { referenceId })}`,
    pointer: '/sell/amount',
  }),
  buy: ({ inflow, outflow, referenceId, allowed }) => ({
    fault: outflow < inflow ? 'promises-less' : 'promises-more',
    expected: words`\`buy.amount\` equal to the yield of the routes: ${amountIn(inflow, { referenceId })} (within ${allowed})`,
    actual: words`${amountIn(outflow, { referenceId })}`,
    pointer: '/buy/amount',
  }),
  between: ({ inflow, outflow, referenceId, allowed }, pointer) => ({
    fault: outflow < inflow ? 'leaves-over' : 'overspends',
    expected: words`an outflow of ${amountIn(inflow, { referenceId })}, equal to the inflow within ${allowed}`,
    actual: words`an outflow of ${amountIn(outflow, { referenceId })}`,
    pointer,
  }),
};

function isBalanced(place: Imbalance['place']): Judge {
  return ({ plan: view }, t) => {
    if (view === undefined) return;
    const { plan, balance } = view;
    t.check(
      faultsOf(
        balance.imbalances.filter((each) => each.place === place),
        (imbalance) =>
          faultsAt[place](imbalance, tokenAt(plan, imbalance.referenceId)?.pointer ?? '/routes'),
      ),
    );
  };
}

/** @example formatStatement(pathOf([1, 7, 1]), { tokenOf }) // 'USDC -> WETH -> USDC' */
function pathOf(ids: readonly ReferenceId[]): Statement {
  return ids.flatMap((referenceId, index) => [
    ...(index === 0 ? [] : [' -> ']),
    token({ referenceId }),
  ]);
}

const reverse = (index: number) => (b: Loose) => {
  const { fromTokens, toTokens, ...route } = b.routes[index];
  b.routes.push({ ...route, fromTokens: toTokens, toTokens: fromTokens });
};

const addRoute = (from: number, to: number) => (b: Loose) => {
  const [fromTokens, toTokens] = [from, to].map((referenceId) => [{ referenceId, amount: '5' }]);
  b.routes.push({ ...b.routes[0], fromTokens, toTokens });
};

/** @see Specification 1.1 */
export const rules: readonly Rule[] = replyRules('swap', {
  'plan/acyclic': {
    clause: '1.1 acyclic',
    must: 'returns routes without a cycle',
    check: none(
      inPlan(({ graph: { cycle } }) => (cycle.length === 0 ? [] : [{ pointer: '/routes', cycle }])),
      'cycle',
      words`no path along the routes from a token back to itself`,
      ({ cycle }) =>
        words`a cycle of ${cycle.length} tokens: ${pathOf([...cycle.slice(0, 8), ...cycle.slice(0, 1)])}`,
    ),
    breaks: [
      [reverse(1), 'at /routes: a cycle of 2 tokens: token 1 -> token 7 -> token 1'],
      [reverse(0), 'at /routes: a cycle of 2 tokens: token 0 -> token 600 -> token 0'],
      [reverse(2), 'at /routes: a cycle of 2 tokens: token 0 -> token 1 -> token 0'],
      [
        (b) => {
          addRoute(98, 99)(b);
          addRoute(99, 98)(b);
        },
        'at /routes: a cycle of 2 tokens: token 98 -> token 99 -> token 98',
      ],
    ],
    notApplicable: [[{ '/sell/amount': undefined }], [{ '/routes/0/toTokens': undefined }]],
  },
  'plan/sell-reaches-buy': {
    clause: '1.1 converts',
    must: 'returns routes that lead from the sell token to the buy token',
    check: none(
      inPlan(({ graph, plan }) => (graph.sellReachesBuy ? [] : [{ ...plan, pointer: '/routes' }])),
      'no-path',
      ({ sell, buy }) =>
        words`a path along the routes from ${token(sell)} (sell) to ${token(buy)} (buy)`,
      words`none`,
    ),
    breaks: [
      [{ '/routes': [] }, 'at /routes: none'],
      [{ '/sell/referenceId': 12 }, 'at /routes: none'],
      [{ '/routes/0/fromTokens': [] }, 'at /routes: none'],
      [
        { '/routes/1/toTokens/0/referenceId': 56, '/routes/2/fromTokens/0/referenceId': 55 },
        'at /routes: none',
      ],
      [(b) => b.routes.splice(1, 1), 'at /routes: none'],
    ],
  },
  'plan/no-self-loop': {
    clause: '1.1 acyclic',
    must: 'swaps no token for itself',
    check: none(
      inPlan(({ graph }) => graph.selfLoops),
      'self-loop',
      words`different tokens in \`fromTokens\` and \`toTokens\``,
      words`one token in both`,
    ),
    breaks: [
      [
        (b) => b.routes.push({ ...b.routes[1], fromTokens: b.routes[1].toTokens }),
        'at /routes/3: one token in both',
      ],
    ],
  },
  'plan/routes-on-path': {
    clause: '1.1 converts',
    must: 'returns only routes on a path from the sell token to the buy token',
    check: none(
      inPlan(({ graph }) => graph.offPath),
      'off-path',
      words`a route on a path from the sell token to the buy token`,
      words`a route on no such path`,
    ),
    breaks: [
      [
        { '/sell/referenceId': 12 },
        'at /routes/0: a route on no such path',
        'at /routes/1: a route on no such path',
        'at /routes/2: a route on no such path',
      ],
      [
        (b) => b.routes.splice(1, 1),
        'at /routes/0: a route on no such path',
        'at /routes/1: a route on no such path',
      ],
      [addRoute(600, 98), 'at /routes/3: a route on no such path'],
    ],
  },
  'plan/nothing-into-sell': {
    clause: '1.1 converts',
    must: 'returns no route into the sell token',
    check: none(
      inPlan(({ graph }) => graph.intoSell),
      'into-sell',
      words`routes only out of the sell token`,
      words`the sell token in \`toTokens\``,
    ),
    breaks: [[reverse(1), 'at /routes/3: the sell token in `toTokens`']],
  },
  'plan/nothing-out-of-buy': {
    clause: '1.1 converts',
    must: 'returns no route out of the buy token',
    check: none(
      inPlan(({ graph }) => graph.outOfBuy),
      'out-of-buy',
      words`routes only into the buy token`,
      words`the buy token in \`fromTokens\``,
    ),
    breaks: [
      [reverse(0), 'at /routes/3: the buy token in `fromTokens`'],
      [addRoute(600, 98), 'at /routes/3: the buy token in `fromTokens`'],
    ],
  },
  'plan/conserves-sell': {
    clause: '1.1 converts',
    must: 'returns routes that spend exactly the sell amount',
    check: isBalanced('sell'),
    breaks: [
      [{ '/routes': [] }, 'at /sell/amount: routes that spend 0 base units of token 7'],
      [
        { '/routes/1/fromTokens/0/amount': '9999999999999999999999' },
        'at /sell/amount: routes that spend 9999999999999999999999 base units of token 7',
      ],
      [
        { '/sell/amount': '10000000000000000000001' },
        'at /sell/amount: routes that spend 10000000000000000000000 base units of token 7',
      ],
    ],
  },
  'plan/conserves-buy': {
    clause: '1.1 converts',
    must: 'returns routes that yield the buy amount',
    check: isBalanced('buy'),
    breaks: [
      [{ '/routes': [] }, 'at /buy/amount: 1034955025987043448356 base units of token 600'],
      [
        { '/buy/amount': '1034955025987043448359' },
        'at /buy/amount: 1034955025987043448359 base units of token 600',
      ],
    ],
    valid: [[{ '/buy/amount': '1034955025987043448358' }]],
  },
  'plan/conserves-between': {
    clause: '1.1 converts',
    must: 'spends each intermediate token completely',
    check: isBalanced('between'),
    breaks: [
      [
        { '/sell/referenceId': 12 },
        'at /tokens/0: an outflow of 10000000000000000000000 base units of token 7',
      ],
      [
        { '/routes/1/toTokens/0/referenceId': 56, '/routes/2/fromTokens/0/referenceId': 55 },
        'at /routes: an outflow of 0 base units of token 56',
        'at /routes: an outflow of 9980414291 base units of token 55',
      ],
      [
        { '/routes/1/toTokens/0/amount': '9980434364' },
        'at /tokens/1: an outflow of 9980414291 base units of token 1',
      ],
      [
        {
          '/routes/1/toTokens/0/amount':
            '115792089237316195423570985008687907853269984665640564039457584007913129639936',
        },
        'at /tokens/1: an outflow of 9980414291 base units of token 1',
      ],
      [
        { '/routes/2/fromTokens/0/amount': '0' },
        'at /tokens/1: an outflow of 0 base units of token 1',
      ],
      [
        reverse(2),
        'at /tokens/2: an outflow of 4325768343397968008 base units of token 0',
        'at /tokens/1: an outflow of 9980414291 base units of token 1',
      ],
      [addRoute(600, 98), 'at /routes: an outflow of 0 base units of token 98'],
    ],
  },
});
