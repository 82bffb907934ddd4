import { addressKey } from '../checks/hex.ts';
import { type Leg, type Plan, planIn, swapBodyIn } from '../checks/plan.ts';
import type { Exchange } from '../client/exchange.ts';
import { isNative, NATIVE_ALIASES } from '../contract/names.ts';
import { formatQuoted } from '../model/format-statement.ts';
import { replyOf } from './reply-status.ts';

/**
 * Returns a text that is the same for equal plans; undefined if there is no plan. The text contains
 * amounts, pools, and the addresses of tokens (one alias for the native token). It omits the order
 * of routes, reference ids, prices, the router and calldata.
 */
export function planKey(exchange: Exchange): string | undefined {
  const plan = planFrom(exchange);
  if (plan === undefined) return undefined;
  const names = new Map(
    plan.tokens.map(({ referenceId, address = String(referenceId) }) => [
      referenceId,
      formatQuoted(isNative(address) ? NATIVE_ALIASES[0] : addressKey(address)),
    ]),
  );
  const leg = ({ referenceId, amount }: Leg) =>
    `${names.get(referenceId) ?? referenceId} ${amount}`;
  const routes = plan.routes.map(({ from, to, fields: { address } }) => {
    const pool = formatQuoted(typeof address === 'string' ? addressKey(address) : '');
    return `${pool}: ${from.map(leg).sort().join('+')} > ${to.map(leg).sort().join('+')}`;
  });
  return [`${leg(plan.sell)} for ${leg(plan.buy)}`, ...routes.sort()].join('\n');
}

/** Returns the key of a plan without its amounts. */
export function formOf(key = ''): string {
  return key.replace(/ [0-9]+(?=$|[ +\n])/g, '');
}

/**
 * Returns the amounts sold and bought by a plan and by each of its routes, in base units; undefined
 * if there is no plan.
 */
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
