import { addressKey } from '../checks/hex.ts';
import { type Leg, type Plan, planIn, swapBodyIn } from '../checks/plan.ts';
import type { Exchange } from '../client/exchange.ts';
import { isNative, NATIVE_ALIASES } from '../contract/names.ts';
import { quotedText } from '../model/statement-text.ts';
import { replyOf } from './reply-status.ts';

/**
 * Returns what a plan does, spelled so that equal plans have equal texts:
 * amounts, pools and tokens by address, native by one of its spellings; not the order of routes, nor reference
 * ids, prices, router or calldata. Undefined where there is no plan.
 */
export function planKey(exchange: Exchange): string | undefined {
  const plan = planFrom(exchange);
  if (plan === undefined) return undefined;
  const names = new Map(
    plan.tokens.map(({ referenceId, address = String(referenceId) }) => [
      referenceId,
      quotedText(isNative(address) ? NATIVE_ALIASES[0] : addressKey(address)),
    ]),
  );
  const leg = ({ referenceId, amount }: Leg) =>
    `${names.get(referenceId) ?? referenceId} ${amount}`;
  const routes = plan.routes.map(({ from, to, fields: { address } }) => {
    const pool = quotedText(typeof address === 'string' ? addressKey(address) : '');
    return `${pool}: ${from.map(leg).sort().join('+')} > ${to.map(leg).sort().join('+')}`;
  });
  return [`${leg(plan.sell)} for ${leg(plan.buy)}`, ...routes.sort()].join('\n');
}

/** Returns the pools and tokens of a plan, amounts apart, of the key of a plan. */
export function formOf(key = ''): string {
  return key.replace(/ [0-9]+(?=$|[ +\n])/g, '');
}

/** Returns what is sold and bought, and the amounts of every route, in base units; undefined where there is no plan. */
export function amountsOf(
  exchange: Exchange,
):
  | { readonly sold: bigint; readonly bought: bigint; readonly legs: readonly bigint[] }
  | undefined {
  const plan = planFrom(exchange);
  if (plan === undefined) return undefined;
  const legs = plan.routes.flatMap(({ from, to }) => [...from, ...to].map(({ amount }) => amount));
  return { sold: plan.sell.amount, bought: plan.buy.amount, legs };
}

function planFrom(exchange: Exchange): Plan | undefined {
  const reply = replyOf(exchange);
  return reply === undefined ? undefined : planIn(swapBodyIn(reply));
}
