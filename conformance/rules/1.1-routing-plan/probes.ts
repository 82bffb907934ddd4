import { statusOf } from '../../client/exchange.ts';
import { BOUND_TRADES } from '../../generate/budget.ts';
import { exactInput, exactOutput, swapTarget, tradesOf } from '../../generate/trades.ts';
import type { Rule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { addSome, createAssertions, judgeEach } from '../../rule-kit/probes.ts';
import { findingUnless200, isOwnAnswer, statusWords } from '../../rule-kit/reply-status.ts';
import { probeRules } from '../../rule-kit/rules-by-id.ts';
import { NO_PLAN, saleOf } from '../../rule-kit/sample-queries.ts';

/** Returns the sale of a whole unit of the first token that each chain lists, for the second. */
function firstSales({ facts }: Session) {
  return [...facts.tokens].flatMap(([chainId, [sell, buy]]) => {
    if (sell === undefined || buy === undefined) return [];
    const amount = 10n ** BigInt(Math.max(0, Math.min(18, sell.decimals)));
    return [{ target: saleOf(chainId, sell.address, buy.address, amount) }];
  });
}

/** @see Specification 1.1 */
export const rules: readonly Rule[] = probeRules({
  // "Given a chain, a sell token, a buy token and exactly one amount, the service returns a routing plan."
  'plan/returned': {
    clause: '1.1 plan',
    level: 'must',
    title: 'returns a plan for some pair of listed tokens',
    run: async (session) =>
      tradesOf(session.facts).length > 0
        ? { kind: 'judged', checks: 1, findings: [] }
        : judgeEach(
            firstSales,
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
  'plan/returned-for-buy-amount': {
    clause: '1.1 plan',
    level: 'must',
    title: 'plans by the buy amount some pair that it plans by the sell amount',
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
        const expected = 'a plan for some `buyAmount` that a `sellAmount` bought before';
        addSome(assertions, expected, answered);
      }
      return assertions.verdict(NO_PLAN);
    },
  },
});
