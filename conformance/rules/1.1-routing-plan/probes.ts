import { statusOf } from '../../client/exchange.ts';
import { PATHS } from '../../contract/paths.ts';
import { BOUND_TRADES } from '../../generate/budget.ts';
import { exactInput, exactOutput, swapTarget, tradesOf } from '../../generate/trades.ts';
import type { Rule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { addSome, createAssertions, judgeEach } from '../../rule-kit/probes.ts';
import { findingUnless200, isOwnAnswer, statusWords } from '../../rule-kit/reply-status.ts';
import { NO_PLAN } from '../../rule-kit/sample-queries.ts';

/** Returns a whole unit of the first token that each chain lists, sold for the second. */
function firstPairs({ facts }: Session) {
  return [...facts.tokens].flatMap(([chainId, [first, second]]) =>
    first === undefined || second === undefined
      ? []
      : [
          {
            target: {
              path: PATHS.swap,
              query: [
                ['chainId', String(chainId)],
                ['sellToken', first.address],
                ['buyToken', second.address],
                ['sellAmount', String(10n ** BigInt(Math.max(0, Math.min(18, first.decimals))))],
              ] as const,
            },
          },
        ],
  );
}

/** @see Specification 1.1 */
export const rules: readonly Rule[] = [
  // "Given a chain, a sell token, a buy token and exactly one amount, the service returns a routing plan."
  {
    kind: 'probe',
    id: 'plan/returned',
    clause: '1.1 plan',
    level: 'must',
    title: 'some pair of listed tokens is answered with a plan',
    run: async (session) =>
      tradesOf(session.facts).length > 0
        ? { kind: 'judged', checks: 1, findings: [] }
        : judgeEach(
            firstPairs,
            (exchange) =>
              findingUnless200(
                exchange,
                'a plan for some pair of the tokens that /tokens lists',
                `none for any pair; here ${statusWords(exchange)}`,
              ),
            '/tokens listed no two tokens',
          )(session),
  },
  // "exactly one amount (sell side or buy side)": the buy side as well.
  {
    kind: 'probe',
    id: 'plan/returned-for-buy-amount',
    clause: '1.1 plan',
    level: 'must',
    title: 'some pair that is planned by the amount sold is planned by the amount bought',
    run: async (session) => {
      const assertions = createAssertions();
      const trades = tradesOf(session.facts).slice(0, BOUND_TRADES);
      const exchanges = await Promise.all(
        trades.map((trade) => session.get(swapTarget(exactOutput(trade)))),
      );
      const answered = exchanges.filter((exchange) => statusOf(exchange) !== undefined);
      const [[first], [trade]] = [answered, trades];
      if (first === undefined || trade === undefined) return assertions.verdict(NO_PLAN);
      if (await isOwnAnswer(session, first, swapTarget(exactInput(trade)))) {
        const expected = 'a plan for some `buyAmount` that a `sellAmount` was seen to buy';
        addSome(assertions, expected, answered);
      }
      return assertions.verdict(NO_PLAN);
    },
  },
];
