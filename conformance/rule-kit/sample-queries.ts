import { targetFor } from '../client/operations.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { RELATION_TRADES, within } from '../generate/budget.ts';
import { calldataFormsOf, inForm, PLAIN_FORMS, spreadInForms } from '../generate/forms.ts';
import { setParameter, type Trade, tradesOf } from '../generate/trades.ts';
import type { Session } from '../model/session.ts';

/** Reason why a probe does not apply to a service without plans. */
export const NO_PLAN = 'no pair returned a plan';

/** Reason why a probe does not apply to a service without calldata. */
export const NO_CALLDATA = 'no router of this service returns calldata';

/**
 * Returns requests for plans without calldata, for trades on each chain. The kind of amount
 * alternates.
 */
export const plainQueries = queriesIn(() => PLAIN_FORMS);

/**
 * Returns requests for calldata, for trades on each chain. The router and the kind of amount
 * alternate.
 */
export const calldataQueries = queriesIn(calldataFormsOf);

function queriesIn(formsOfMarket: typeof calldataFormsOf) {
  return (session: Session, isWanted: (trade: Trade) => boolean = () => true): readonly Query[] => {
    const trades = tradesOf(session.facts).filter(isWanted);
    const count = within(RELATION_TRADES, session);
    return spreadInForms(trades, count, formsOfMarket).map(([trade, form]) => inForm(trade, form));
  };
}

/**
 * Returns a request that sells an amount of one token for another. Both tokens are given by
 * address.
 */
export function saleOf(
  chainId: number,
  sellToken: string,
  buyToken: string,
  sellAmount: bigint,
): RequestTarget {
  return targetFor('swap', { chainId, sellToken, buyToken, sellAmount });
}

/** Returns the query without the parameters for calldata. A requested router remains. */
export function withoutCalldata(query: Query): Query {
  return ['includeCalldata', 'userAddress', 'slippageTolerance'].reduce(
    (rest, name) => setParameter(rest, name, []),
    query,
  );
}
