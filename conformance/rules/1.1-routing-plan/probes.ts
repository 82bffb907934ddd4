import { addressKey } from '../../checks/hex.ts';
import { statusOf } from '../../client/exchange.ts';
import type { Asset } from '../../discovery/facts.ts';
import { BOUND_TRADES, UNTRIED_PAIRS, within } from '../../generate/budget.ts';
import { exactInput, exactOutput, spread, swapTarget, tradesOf } from '../../generate/trades.ts';
import type { Check, Rule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { words } from '../../model/statement.ts';
import { checkSome, getUntilPlan, judgeEach, shareWord } from '../../rule-kit/probes.ts';
import { faultUnless200, isInformative, statusWords } from '../../rule-kit/reply-status.ts';
import { probeRules } from '../../rule-kit/rules-by-id.ts';
import { NO_PLAN, saleOf } from '../../rule-kit/sample-queries.ts';
import { has, on, reject, to } from '../../rule-kit/service-breaks.ts';

function salesBetweenFirstTokens({ facts }: Session) {
  return [...facts.tokens].flatMap(([chainId, [sell, buy]]) => {
    if (sell === undefined || buy === undefined) return [];
    const amount = 10n ** BigInt(Math.max(0, Math.min(18, sell.decimals)));
    return [{ target: saleOf(chainId, sell.address, buy.address, amount) }];
  });
}

const SMALLER_AMOUNT_DIVISOR = 100n;

/**
 * Requests plans for pairs that discovery did not try, so that the rules on replies judge these
 * plans too.
 */
const requestUntriedPairs = async (session: Session, t: Check) => {
  const { facts, get } = session;
  for (const market of facts.markets.values()) {
    const { chainId, pairs, pairsWithoutPlan, untriedPairs = [] } = market;
    const count = Math.ceil(within(UNTRIED_PAIRS, session) / facts.markets.size);
    const untried = spread(untriedPairs, count);
    const planned = await Promise.all(
      untried.map(async (pair) => {
        for (const amount of [pair.sellAmount, pair.sellAmount / SMALLER_AMOUNT_DIVISOR || 1n]) {
          const query = exactInput({ market, pair }, amount);
          if (statusOf(await get(swapTarget(query))) === 200) return true;
        }
        return false;
      }),
    );
    const requested = [...pairs, ...untried];
    if (requested.length === 0) continue;
    const listed = new Set(
      (facts.tokens.get(chainId) ?? []).map(({ address }) => addressKey(address)),
    );
    const isListed = (...sides: readonly Asset[]) =>
      sides.every(({ address }) => listed.has(addressKey(address)));
    const ofList =
      requested.filter(({ sell, buy }) => isListed(sell, buy)).length +
      pairsWithoutPlan.filter((sides) => isListed(...sides)).length;
    t.check();
    const [traded, tried] = [
      pairs.length + planned.filter(Boolean).length,
      requested.length + pairsWithoutPlan.length,
    ];
    const pairsOfList = listed.size * (listed.size - 1);
    t.observe(
      `chain ${chainId}: ${traded} of ${tried} pairs have a plan; requested ${ofList} of ${pairsOfList} pairs of listed tokens`,
      `chain ${chainId}: ${shareWord(traded, tried)} pairs have a plan; requested ${shareWord(ofList, pairsOfList)} pairs of listed tokens`,
    );
  }
  t.stuck(NO_PLAN);
};

/** @see Specification 1.1 */
export const rules: readonly Rule[] = probeRules({
  // "Given a chain, a sell token, a buy token and exactly one amount, the service returns a routing
  // plan."
  'plan/returned': {
    clause: '1.1 plan',
    must: 'returns a plan for at least one pair of listed tokens',
    check: async (session, t) =>
      tradesOf(session.facts).length > 0
        ? t.check()
        : judgeEach(
            salesBetweenFirstTokens,
            (exchange) =>
              faultUnless200(exchange, {
                fault: 'no-plan',
                expected: words`a plan for at least one pair of tokens from /tokens`,
                actual: words`none for any pair: ${statusWords(exchange)}`,
              }),
            'fewer than two tokens are known from /tokens',
          )(session, t),
    breaks: [
      [
        on(to('swap'), reject),
        { facts: 'untraded' },
        'expected a plan for at least one pair of tokens from /tokens, got none for any pair: 400 "NO"',
      ],
    ],
    valid: [['has stopped returning plans', reject]],
    couldNotRun: [['is silent', () => 'no reply', { facts: 'untraded' }]],
  },
  'plan/pairs-observed': {
    clause: '1.1 plan',
    observes: 'how many pairs of listed tokens have a plan',
    check: requestUntriedPairs,
  },
  // "exactly one amount (sell side or buy side)".
  'plan/returned-for-buy-amount': {
    clause: '1.1 plan',
    must: 'returns a plan for a `buyAmount`, for at least one pair with a plan for a `sellAmount`',
    check: async (session, t) => {
      const trades = tradesOf(session.facts).slice(0, within(BOUND_TRADES, session));
      const exchanges = await getUntilPlan(
        session,
        trades.map((trade) => swapTarget(exactOutput(trade))),
      );
      const replied = exchanges.filter((exchange) => statusOf(exchange) !== undefined);
      const [[first], [trade]] = [replied, trades];
      if (first === undefined || trade === undefined) return t.stuck(NO_PLAN);
      if (await isInformative(session, first, swapTarget(exactInput(trade)))) {
        const expected = words`a plan for a \`buyAmount\` that an exact-input trade returned`;
        checkSome(t, { expected }, replied);
      }
      t.stuck(NO_PLAN);
    },
    breaks: [
      [
        on(has('buyAmount'), reject),
        'expected a plan for a `buyAmount` that an exact-input trade returned, got 400 "NO", and no plan for any of … requests',
      ],
    ],
  },
});
