import { RELATION_TRADES } from '../../generate/budget.ts';
import { exactInput, exactOutput, spread, type Trade, tradesOf } from '../../generate/trades.ts';
import type { Finding, ProbeRule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { amountsOf } from '../../rule-kit/plan-key.ts';
import { createTally } from '../../rule-kit/probing.ts';
import { bracket, confirmFault } from '../../rule-kit/steady-market.ts';

type Amounts = NonNullable<ReturnType<typeof amountsOf>>;
type Fault = Omit<Finding, 'exchange'>;

/**
 * Base units by which pools may round, all hops together: each rounds in its own
 * favour, and an exact output may be searched to a last unit at each hop.
 */
const ROUNDING = 16n;

/** One part in 1,000, beside the rounding: planners approximate the best split. */
const APPROXIMATION = 1_000n;

/** A leg of fewer base units is rounded by more than a part in 100,000, which a larger trade is not. */
const LEG_ABOVE_ROUNDING = 100_000n;

/** Sends a trade, then one made from its reply, and judges the two together; a fault, twice. */
function judgeTwo(
  session: Session,
  trade: Trade,
  nextOf: (first: Amounts) => ReturnType<typeof exactInput> | undefined,
  judge: (first: Amounts, second: Amounts) => Fault | undefined,
): Promise<{ readonly finding: Finding | undefined } | undefined> {
  return confirmFault(async () => {
    const pair = await bracket(session, exactInput(trade), (exchange) => {
      const amounts = amountsOf(exchange);
      return amounts === undefined || amounts.bought === 0n ? undefined : nextOf(amounts);
    });
    const first = pair === undefined ? undefined : amountsOf(pair.first);
    const second = pair === undefined ? undefined : amountsOf(pair.second);
    if (pair === undefined || first === undefined || second === undefined) return undefined;
    const fault = judge(first, second);
    return { finding: fault === undefined ? undefined : { ...fault, exchange: pair.second } };
  });
}

/** What an amount costs at the price of a trade that bought about as much: a market that moves may have it bought a little more. */
function soldFor(bought: bigint, { sold, bought: about }: Amounts): bigint {
  return about === 0n ? sold : (sold * bought) / about;
}

function amountRule(
  identity: Pick<ProbeRule, 'id' | 'clause' | 'level' | 'title'>,
  judgeTrade: (session: Session, trade: Trade) => readonly ReturnType<typeof judgeTwo>[],
): ProbeRule {
  return {
    kind: 'probe',
    ...identity,
    run: async (session) => {
      const trades = spread(tradesOf(session.facts), RELATION_TRADES);
      if (trades.length === 0) {
        return { kind: 'could-not-run', why: 'no pair was answered with a plan' };
      }
      const tally = createTally();
      const judged = await Promise.all(trades.flatMap((trade) => judgeTrade(session, trade)));
      for (const each of judged) if (each !== undefined) tally.check(each.finding);
      return tally.verdict('the market moved between every two replies, or gave no plan');
    },
  };
}

/** Buying what a sale brought must not cost more than the sale: else one of the two plans is not the best. */
const outputCostsNoMore = amountRule(
  {
    id: 'relation/exact-output-costs-no-more',
    clause: '4.1 buyAmount',
    level: 'should',
    title:
      'exact output of what exact input returned costs no more than was sold (within 0.1 % and 16 base units)',
  },
  (session, trade) => [
    judgeTwo(
      session,
      trade,
      (first) => exactOutput(trade, first.bought),
      (first, second) => {
        const sold = soldFor(second.bought, first);
        const limit = sold + sold / APPROXIMATION + ROUNDING;
        return second.sold <= limit
          ? undefined
          : {
              expected: `at most ${limit} sold for ${second.bought}, since ${first.sold} bought ${first.bought}`,
              actual: `${second.sold}`,
              pointer: '/sell/amount',
            };
      },
    ),
  ],
);

/** A planner may be off the best by this: one part in 100. */
const SHORTFALL = 100n;

/** What costs much less than it brought is no plan: pools give back less than they took. */
const outputCostsNoLess = amountRule(
  {
    id: 'relation/exact-output-costs-no-less',
    clause: '4.1 buyAmount',
    level: 'should',
    title:
      'exact output of what exact input returned costs no less than was sold (within 1 % and 16 base units)',
  },
  (session, trade) => [
    judgeTwo(
      session,
      trade,
      (first) =>
        first.legs.some((leg) => leg < LEG_ABOVE_ROUNDING)
          ? undefined
          : exactOutput(trade, first.bought),
      (first, second) => {
        const sold = soldFor(second.bought, first);
        const limit = sold - sold / SHORTFALL - ROUNDING;
        return second.sold >= limit
          ? undefined
          : {
              expected: `at least ${limit} sold for ${second.bought}, since ${first.sold} bought ${first.bought}`,
              actual: `${second.sold}`,
              pointer: '/sell/amount',
            };
      },
    ),
  ],
);

/** Steps from a trade to a larger one. */
const STEPS = [2n, 10n, 1_000n];

/** More of one token never brings less of the other. */
const moreBringsNoLess = amountRule(
  {
    id: 'relation/more-in-no-less-out',
    clause: '4.1 sellAmount',
    level: 'should',
    title: 'selling more brings no less (within 0.1 % and 16 base units)',
  },
  (session, trade) =>
    STEPS.map((step) =>
      judgeTwo(
        session,
        trade,
        (first) => exactInput(trade, first.sold * step),
        (first, second) => {
          const limit = first.bought - first.bought / APPROXIMATION - ROUNDING;
          return second.bought >= limit
            ? undefined
            : {
                expected: `at least ${limit} for ${second.sold}, since ${first.sold} brought ${first.bought}`,
                actual: `${second.bought}`,
                pointer: '/buy/amount',
              };
        },
      ),
    ),
);

/** Pools give less for each further unit, so the price of a whole trade never improves with its size. */
const priceDoesNotImprove = amountRule(
  {
    id: 'relation/price-does-not-improve',
    clause: '4.1 sellAmount',
    level: 'should',
    title: 'the price does not improve as the amount grows (within 0.1 % and 16 base units)',
  },
  (session, trade) =>
    STEPS.map((step) =>
      judgeTwo(
        session,
        trade,
        (first) =>
          first.legs.some((leg) => leg < LEG_ABOVE_ROUNDING)
            ? undefined
            : exactInput(trade, first.sold * step),
        (first, second) => {
          const atSamePrice = ((first.bought + ROUNDING) * second.sold) / first.sold;
          const limit = atSamePrice + atSamePrice / APPROXIMATION + ROUNDING;
          return second.bought <= limit
            ? undefined
            : {
                expected: `at most ${limit} for ${second.sold}, at the price of ${first.bought} for ${first.sold}`,
                actual: `${second.bought}`,
                pointer: '/buy/amount',
              };
        },
      ),
    ),
);

/** @see Specification 4.1: amounts that hang together over replies */
export const amountRelationRules: readonly ProbeRule[] = [
  outputCostsNoMore,
  outputCostsNoLess,
  moreBringsNoLess,
  priceDoesNotImprove,
];
