import type { Query } from '../client/request.ts';
import { RELATION_TRADES } from '../generate/budget.ts';
import { exactInput, spread, type Trade, tradesOf } from '../generate/trades.ts';
import type { Session } from '../model/session.ts';
import { amountsOf } from './plan-key.ts';
import { createAssertions, type Run } from './probes.ts';
import { NO_PLAN } from './sample-queries.ts';
import { bracket, type Compared, confirmFault } from './steady-market.ts';

/** What a plan sells and buys, and the amounts at both ends of its routes, in base units. */
export type Amounts = NonNullable<ReturnType<typeof amountsOf>>;

/** A bound that the reply to a trade sets to the reply to another. */
export type AmountRelation = {
  /** The trades that are made of the reply to one; undefined where the reply does not fit. */
  readonly next: readonly ((trade: Trade, first: Amounts) => Query | undefined)[];
  readonly bound: 'at most' | 'at least';
  /** The amount of the second reply that is bounded. */
  readonly amount: 'sold' | 'bought';
  readonly limit: (first: Amounts, second: Amounts) => bigint;
  /** Says why, after the limit. */
  readonly why: (first: Amounts, second: Amounts) => string;
};

/** Returns a probe that asks for trades, then for others made of the replies, and holds the amounts to a bound. */
export function relatesAmounts(relation: AmountRelation): Run {
  return async (session) => {
    const trades = spread(tradesOf(session.facts), RELATION_TRADES);
    if (trades.length === 0) return { kind: 'could-not-run', why: NO_PLAN };
    const attempts = trades.flatMap((trade) =>
      relation.next.map((nextOf) =>
        confirmFault(() => compareAmounts(session, trade, nextOf, relation)),
      ),
    );
    const assertions = createAssertions();
    for (const compared of await Promise.all(attempts)) {
      if (compared !== undefined) assertions.check(compared.finding);
    }
    return assertions.verdict('the market kept moving between replies, or no plan came');
  };
}

async function compareAmounts(
  session: Session,
  trade: Trade,
  nextOf: AmountRelation['next'][number],
  { bound, amount, limit, why }: AmountRelation,
): Promise<Compared | undefined> {
  const pair = await bracket(session, exactInput(trade), (exchange) => {
    const first = amountsOf(exchange);
    return first === undefined || first.bought === 0n ? undefined : nextOf(trade, first);
  });
  const [first, second] = [pair?.first, pair?.second].map((each) => each && amountsOf(each));
  if (pair === undefined || first === undefined || second === undefined) return undefined;
  const [is, most] = [second[amount], limit(first, second)];
  if (bound === 'at most' ? is <= most : is >= most) return { finding: undefined };
  return {
    finding: {
      expected: `${bound} ${most} ${why(first, second)}`,
      actual: `${is}`,
      pointer: amount === 'sold' ? '/sell/amount' : '/buy/amount',
      exchange: pair.second,
    },
  };
}

/** A leg of fewer base units is rounded by more than a part in 100,000, which a larger trade is not. */
const LEG_ABOVE_ROUNDING = 100_000n;

/** Returns whether rounding shows in an amount of a plan. */
export function isRounded({ legs }: Amounts): boolean {
  return legs.some((leg) => leg < LEG_ABOVE_ROUNDING);
}
