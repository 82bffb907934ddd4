import type { Query } from '../client/request.ts';
import type { RouterName } from '../contract/resources.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { type FixedAmount, queryFor, spread, type Trade, withCalldata } from './trades.ts';

/** How a trade is asked for: which amount is given, and whether calldata comes with the plan. */
export type Form = {
  readonly amount: FixedAmount;
  /** The router that is asked for calldata; unset, a plan alone is asked for, of no router by name. */
  readonly calldataOf: RouterName | undefined;
};

const AMOUNTS = ['sellAmount', 'buyAmount'] as const;

/** The forms without calldata. */
export const PLAIN_FORMS: readonly Form[] = AMOUNTS.map((amount) => ({
  amount,
  calldataOf: undefined,
}));

export function calldataRoutersOf(market: ChainMarket): readonly RouterName[] {
  return [...market.routers].flatMap(([name, answer]) => (answer === 'calldata' ? [name] : []));
}

/** Returns the forms that ask for calldata: of each router that gives any, by either amount. */
export function calldataFormsOf(market: ChainMarket): readonly Form[] {
  return calldataRoutersOf(market).flatMap((calldataOf) =>
    AMOUNTS.map((amount) => ({ amount, calldataOf })),
  );
}

/** Returns every form of a chain, with calldata and without. */
export function formsOf(market: ChainMarket): readonly Form[] {
  return [...PLAIN_FORMS, ...calldataFormsOf(market)];
}

/** Returns the query of a trade in a form, with nothing in it that the form does not need. */
export function inForm(trade: Trade, { amount, calldataOf }: Form): Query {
  const query = queryFor(trade, amount);
  return calldataOf === undefined ? query : withCalldata(query, calldataOf);
}

/**
 * Returns trades with the choices of their chain taking turns, each chain
 * starting at another one, so that any few of them differ in choice and in
 * chain. Chains without a choice are left out.
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

/** Returns so many of the trades that have a form, spread over all, with the forms of their chain taking turns. */
export function spreadInForms(
  trades: readonly Trade[],
  count: number,
  formsOfMarket: (market: ChainMarket) => readonly Form[],
): readonly (readonly [trade: Trade, form: Form])[] {
  const formed = trades.filter(({ market }) => formsOfMarket(market).length > 0);
  return takeTurns(spread(formed, count), formsOfMarket);
}
