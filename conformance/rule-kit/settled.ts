import type { FaultData, ReplyVerdict, SettlementContext } from '../model/rule.ts';
import { type Effects, type SettledOnce, tokenBought, tokenSold } from '../model/settlement.ts';
import { amountIn, reason, type Statement, words } from '../model/statement.ts';
import { PASS, unless } from './faults.ts';
import { isAboutAsMuch } from './quote-distance.ts';

type Verdict = Pick<ReplyVerdict, 'findings'> | undefined;

/** Effects of a trade that settled. */
export type Settled = Extract<Effects, { readonly kind: 'settled' }>;

/**
 * Returns a judge of settled trades. The judge does not apply to reverted trades, which
 * `execution/settles` judges.
 */
export function ifSettled<Item extends { readonly effects: Effects }>(
  judge: (effects: Settled, item: Item, context: SettlementContext) => Verdict,
): (item: Item, context: SettlementContext) => Verdict {
  return (item, context) =>
    item.effects.kind === 'settled' ? judge(item.effects, item, context) : undefined;
}

/** Returns a pass if a trade settled, otherwise a fault with the revert reason. */
export function mustSettle(effects: Effects, expected: Statement): ReplyVerdict {
  if (effects.kind === 'settled') return PASS;
  return unless(false, 'reverted', expected, [reason(effects.reason)], errorData(effects));
}

/**
 * Returns a fault if a trade costs more or pays less than the same calldata at the same block
 * usually does.
 */
export function mustCostAsUsual(
  { spent, received }: Settled,
  item: Omit<SettledOnce, 'now'>,
): ReplyVerdict {
  const { usual } = item;
  if (usual?.kind !== 'settled') return PASS;
  const terms = (each: Pick<Settled, 'spent' | 'received'>) =>
    words`${amountIn(each.spent, { address: tokenSold(item) })} paid and ${amountIn(each.received, { address: tokenBought(item) })} received`;
  return unless(
    isAboutAsMuch(received, usual.received) && isAboutAsMuch(usual.spent, spent),
    'other-terms',
    words`${terms(usual)}, as for the account that requested it`,
    terms({ spent, received }),
  );
}

/** Returns the data of a failed transaction: the contract's error, if it is known. */
export function errorData({ error }: { readonly error?: string | undefined }): FaultData {
  return error === undefined ? {} : { error };
}
