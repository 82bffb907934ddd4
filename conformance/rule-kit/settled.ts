import type { FaultData, ReplyVerdict, SettlementContext } from '../model/rule.ts';
import type { Effects } from '../model/settlement.ts';
import { reason, type Statement } from '../model/statement.ts';
import { PASS, unless } from './faults.ts';

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

/** Returns the data of a failed transaction: the contract's error, if it is known. */
export function errorData({ error }: { readonly error?: string | undefined }): FaultData {
  return error === undefined ? {} : { error };
}
