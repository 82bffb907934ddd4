import type { FixedAmount, Query } from '../client/request.ts';
import type { RouterName } from '../contract/resources.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { queryFor, spread, type Trade, withCalldata } from './trades.ts';

/** Form of a trade request: which amount is fixed, and whether calldata is requested. */
export type Form = {
  readonly amount: FixedAmount;
  /**
   * Router whose calldata is requested. If unset, the request names no router and asks only for a
   * plan.
   */
  readonly calldataOf: RouterName | undefined;
};

const AMOUNTS = ['sellAmount', 'buyAmount'] as const;

/** Forms that do not request calldata. */
export const PLAIN_FORMS: readonly Form[] = AMOUNTS.map((amount) => ({
  amount,
  calldataOf: undefined,
}));

export function calldataRoutersOf(market: ChainMarket): readonly RouterName[] {
  return [...market.routers].flatMap(([name, answer]) => (answer === 'calldata' ? [name] : []));
}

/** Returns the forms with calldata, for each router that returns calldata and for either amount. */
export function calldataFormsOf(market: ChainMarket): readonly Form[] {
  return calldataRoutersOf(market).flatMap((calldataOf) =>
    AMOUNTS.map((amount) => ({ amount, calldataOf })),
  );
}

/** Returns every form of a chain, with and without calldata. */
export function formsOf(market: ChainMarket): readonly Form[] {
  return [...PLAIN_FORMS, ...calldataFormsOf(market)];
}

/** Returns the query of a trade in a form, with only the parameters that the form needs. */
export function inForm(trade: Trade, { amount, calldataOf }: Form): Query {
  const query = queryFor(trade, amount);
  return calldataOf === undefined ? query : withCalldata(query, calldataOf, trade.market);
}

/**
 * Pairs each trade with the next choice for its chain. Each chain starts at a different choice, so
 * consecutive trades differ in chain and in choice. Omits chains without choices.
 */
export function takeTurns<Choice>(
  trades: readonly Trade[],
  choicesOf: (market: ChainMarket) => readonly Choice[],
): readonly (readonly [trade: Trade, choice: Choice])[] {
  const turns = new Map<ChainMarket, number>();
  const chains = new Set(trades.map(({ market }) => market)).size;
  return trades.flatMap((trade) => {
    const choices = choicesOf(trade.market);
    const start = Math.floor((turns.size * choices.length) / chains);
    const turn = turns.get(trade.market) ?? start;
    turns.set(trade.market, turn + 1);
    return choices.length === 0 ? [] : [[trade, choices[turn % choices.length] as Choice] as const];
  });
}

/**
 * Returns the given number of trades, spread over all trades on chains that have forms. Each trade
 * uses the next form for its chain.
 */
export function spreadInForms(
  trades: readonly Trade[],
  count: number,
  formsOfMarket: (market: ChainMarket) => readonly Form[],
): readonly (readonly [trade: Trade, form: Form])[] {
  const formed = trades.filter(({ market }) => formsOfMarket(market).length > 0);
  return takeTurns(spread(formed, count), formsOfMarket);
}
