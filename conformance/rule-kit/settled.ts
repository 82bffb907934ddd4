import type { Check, Fault, FaultData } from '../model/rule.ts';
import { type Effects, type SettledOnce, tokenBought, tokenSold } from '../model/settlement.ts';
import { amountIn, reason, type Statement, words } from '../model/statement.ts';
import { faultUnless } from './faults.ts';
import { isAboutAsMuch } from './quote-distance.ts';

/** Effects of a trade that settled. */
export type Settled = Extract<Effects, { readonly kind: 'settled' }>;

/**
 * Returns a judge of settled trades. The judge does not apply to reverted trades, which
 * `execution/settles` judges.
 */
export function ifSettled<Item extends { readonly effects: Effects }>(
  check: (effects: Settled, item: Item, t: Check) => void,
): (item: Item, t: Check) => void {
  return (item, t) => {
    if (item.effects.kind === 'settled') check(item.effects, item, t);
  };
}

/** Returns a fault with the revert reason, or undefined if the trade settled. */
export function mustSettle(effects: Effects, expected: Statement): Fault | undefined {
  if (effects.kind === 'settled') return undefined;
  return faultUnless(false, 'reverted', expected, [reason(effects.reason)], errorData(effects));
}

/**
 * Returns a fault if a trade costs more or pays less than the same calldata at the same block
 * usually does.
 */
export function mustCostAsUsual(
  { spent, received }: Settled,
  item: Omit<SettledOnce, 'now'>,
): Fault | undefined {
  const { asReturned } = item;
  if (asReturned?.kind !== 'settled') return undefined;
  const terms = (each: Pick<Settled, 'spent' | 'received'>) =>
    words`${amountIn(each.spent, { address: tokenSold(item) })} paid and ${amountIn(each.received, { address: tokenBought(item) })} received`;
  return faultUnless(
    isAboutAsMuch(received, asReturned.received) && isAboutAsMuch(asReturned.spent, spent),
    'other-terms',
    words`${terms(asReturned)}, as for the account that requested it`,
    terms({ spent, received }),
  );
}

/** Returns the data of a failed transaction: the contract's error, if it is known. */
export function errorData({ error }: { readonly error?: string | undefined }): FaultData {
  return error === undefined ? {} : { error };
}
