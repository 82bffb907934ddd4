import type { Leg } from '../checks/plan.ts';
import { RouteTokenSchema } from '../contract/resources.ts';
import type { Rule } from '../model/rule.ts';
import { accountsOf } from '../model/settlement.ts';
import { account, amountIn, quote, words } from '../model/statement.ts';
import { faultsOf } from '../rule-kit/faults.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { flowsOfPools, isTrueFlow } from '../rule-kit/pool-flows.ts';
import { inPlan, none } from '../rule-kit/reply-judges.ts';
import { routeTokens } from '../rule-kit/reply-values.ts';
import { replyRules, settlementRules } from '../rule-kit/rules-by-id.ts';

function addZeros(zeros: string[], legs: readonly Leg[]): void {
  for (const { amount, pointer } of legs) if (amount === 0n) zeros.push(`${pointer}/amount`);
}

/** @see Specification 2.5 */
export const rules: readonly Rule[] = [
  ...fieldRules(
    {
      section: '2.5',
      slug: 'route-token',
      endpoint: 'swap',
      at: ['/routes/0/fromTokens/0', '/routes/0/toTokens/0'],
    },
    RouteTokenSchema,
    routeTokens,
  ),
  ...replyRules('swap', {
    // "Refers to an entry in `tokens`".
    'route-token/reference-resolves': {
      clause: '2.5 referenceId',
      must: 'refers only to entries of `tokens` in every route',
      check: none(
        inPlan(({ plan, dangling }) => (plan.routes.length === 0 ? undefined : dangling.routes)),
        'dangling',
        words`the \`referenceId\` of an entry in \`tokens\``,
        ({ referenceId }) => words`${quote(referenceId)}, which no entry has`,
      ),
      breaks: [
        [
          { '/routes/1/toTokens/0/referenceId': 56, '/routes/2/fromTokens/0/referenceId': 55 },
          'at /routes/1/toTokens/0/referenceId: 56, which no entry has',
          'at /routes/2/fromTokens/0/referenceId: 55, which no entry has',
        ],
        // A list of nine faults is cut after eight.
        [
          {
            '/routes/0/fromTokens': Array.from({ length: 9 }, () => ({
              referenceId: 9,
              amount: '1',
            })),
          },
          ...Array.from(
            { length: 8 },
            (_, at) => `at /routes/0/fromTokens/${at}/referenceId: 9, which no entry has`,
          ),
        ],
      ],
      notApplicable: [[{ '/routes': [] }], [{ '/sell': undefined }]],
    },
    'route-token/moves-something': {
      clause: '2.5 amount',
      should: 'moves an amount above zero in every route',
      because: 'A client pays gas for a route that takes or gives nothing.',
      check: none(
        inPlan(({ plan: { routes } }) => {
          if (routes.length === 0) return undefined;
          const zeros: string[] = [];
          for (const { from, to } of routes) {
            addZeros(zeros, from);
            addZeros(zeros, to);
          }
          return zeros;
        }),
        'zero',
        words`an amount above 0 at each end of a route`,
        words`"0"`,
      ),
      breaks: [[{ '/routes/2/fromTokens/0/amount': '0' }, 'at /routes/2/fromTokens/0/amount']],
      notApplicable: [[{ '/sell': undefined }]],
    },
  }),
  ...settlementRules('as-returned', {
    'execution/route-amounts': {
      clause: '2.5 amount',
      should: 'moves the planned amounts of every route, on a frozen market',
      because:
        '"Amount in base units" of a swap: the amounts that its pool received and paid, according to the transfers of the transaction.',
      needs: 'a settled trade whose pools hold their tokens, on a frozen market',
      check: ({ request, plan, now, frozen, holders, untouched, tolerancePpm }, t) => {
        if (!frozen || now.settlement.outcome !== 'settled') return undefined;
        const native = [
          ...(request.sell.native ? [plan.sell.token] : []),
          ...(request.buy.native ? [plan.buy.token] : []),
        ];
        const flows = flowsOfPools(plan, now.settlement.payments, {
          holders: accountsOf(holders),
          native,
          untouched,
        });
        if (flows.length === 0) return undefined;
        return t.check(
          faultsOf(
            flows
              .filter((flow) => !isTrueFlow(flow, plan, request.swapKind, tolerancePpm))
              .slice(0, 1),
            ({ planned, token, side, pool, moved }) => ({
              fault: side === 'into' ? 'takes-other-amount' : 'pays-other-amount',
              expected: words`${amountIn(planned, { address: token })} ${side} ${account(pool)}`,
              actual: words`${amountIn(moved, { address: token })} moved`,
              pointer: '/routes',
            }),
          ),
        );
      },
      breaks: [
        [
          { payments: [{ token: 'MID', from: 'pool2', to: 'pool1', amount: 1n }] },
          'at /routes: 4999 base units of MID moved',
        ],
        // The plan names a pool in which the calldata does not trade.
        [{ payments: 'none', untouched: ['pool1'] }, 'at /routes: 0 base units of SELL moved'],
      ],
      notApplicable: [{ payments: 'none' }, { frozen: false, effects: { received: 19_900n } }],
    },
  }),
];
