import { addressKey } from '../checks/hex.ts';
import type { Exchange } from '../client/exchange.ts';
import { quote } from './faults.ts';
import { planOf, tokensOf } from './plan-of-reply.ts';
import { replyOf } from './probing.ts';

/**
 * Returns what a plan does, spelled so that equal plans have equal texts:
 * amounts, pools and tokens by address; not the order of routes, nor reference
 * ids, prices, router or calldata. Undefined where there is no plan.
 */
export function planKey(exchange: Exchange): string | undefined {
  const reply = replyOf(exchange);
  const plan = reply === undefined ? undefined : planOf(reply)?.plan;
  if (reply === undefined || plan === undefined) return undefined;
  const tokens = tokensOf(reply);
  const names = new Map(
    plan.tokens.map((id, index) => [id, quote(addressKey(tokens[index]?.address ?? String(id)))]),
  );
  const leg = ({ referenceId, amount }: { referenceId: string | number; amount: bigint }) =>
    `${names.get(referenceId) ?? referenceId} ${amount}`;
  const routes = plan.routes.map(({ from, to }, index) => {
    const pool = poolAt(reply.document.kind === 'json' ? reply.document.value : undefined, index);
    return `${pool}: ${from.map(leg).sort().join('+')} > ${to.map(leg).sort().join('+')}`;
  });
  return [`${leg(plan.sell)} for ${leg(plan.buy)}`, ...routes.sort()].join('\n');
}

/** Returns what is sold and bought, and the amounts of every route, in base units; undefined where there is no plan. */
export function amountsOf(
  exchange: Exchange,
):
  | { readonly sold: bigint; readonly bought: bigint; readonly legs: readonly bigint[] }
  | undefined {
  const reply = replyOf(exchange);
  const plan = reply === undefined ? undefined : planOf(reply)?.plan;
  if (plan === undefined) return undefined;
  const legs = plan.routes.flatMap(({ from, to }) => [...from, ...to].map(({ amount }) => amount));
  return { sold: plan.sell.amount, bought: plan.buy.amount, legs };
}

function poolAt(document: unknown, index: number): string {
  const { routes } = (document ?? {}) as { readonly routes?: readonly unknown[] };
  const { address } = (routes?.[index] ?? {}) as { readonly address?: unknown };
  return quote(typeof address === 'string' ? addressKey(address) : '');
}
