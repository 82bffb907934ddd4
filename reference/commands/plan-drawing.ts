import type { Market, RouterDeployment } from '../market/market.ts';
import { familyOf } from '../pools/families.ts';
import type { RoutingPlan } from '../routing/graph/plan.ts';
import { amountText } from './plan-text.ts';

/**
 * Returns the plan as a drawing in Graphviz's language, tokens from left to right;
 * `dot -Tsvg` draws it.
 *
 * @see https://graphviz.org/doc/info/lang.html
 */
export function planAsDot(market: Market, router: RouterDeployment, plan: RoutingPlan): string {
  const symbolOf = (token: string) =>
    [...market.tokens.values()].find(({ address }) => address === token)?.symbol ?? token;
  const tokens = new Set(plan.swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]));
  const edges = plan.swaps.map(({ pool, tokenIn, tokenOut, amountIn, amountOut }) => {
    const amounts = [
      amountText(market, tokenIn, amountIn),
      amountText(market, tokenOut, amountOut),
    ];
    const label = [`${pool.source} ${familyOf(pool).feePips(pool) / 10_000} %`, ...amounts]
      .map(quoted)
      .join('\\n');
    return `  "${tokenIn}" -> "${tokenOut}" [label="${label}"]`;
  });
  return [
    `digraph "${quoted(router.name)}" {`,
    '  rankdir=LR',
    ...[...tokens].map((token) => `  "${token}" [label="${quoted(symbolOf(token))}"]`),
    ...edges,
    '}',
  ].join('\n');
}

/** Whatever a token calls itself, it stays within the quotes. */
function quoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&').replace(/\s+/g, ' ');
}
