import type { Network } from './network.ts';
import { hopsBetween, poolGraphOf } from './pool-graph.ts';
import { marketOf, pairPool, rangePool, tokenOf } from './routing.testing.ts';

/** Two pools into token 1, two out of it to token 3; the second of each is small, the last so small that it ends. */
export function diamond(): Network {
  const market = marketOf([
    pairPool([0, 1], 10n ** 21n, 10n ** 21n),
    rangePool([0, 1], 0, 10n ** 22n),
    pairPool([1, 3], 10n ** 21n, 10n ** 21n),
    rangePool([1, 3], 0, 10n ** 18n),
  ]);
  const graph = poolGraphOf(market, new Set(['Test']));
  const hops = hopsBetween(graph, tokenOf(0), tokenOf(3));
  const arcs = (token: number, to: number) =>
    hops
      .filter((hop) => hop.tokenIn === tokenOf(token))
      .map((hop, index) => ({ hop, to, weight: index === 0 ? 3n : 1n }));
  return { nodes: [arcs(0, 1), arcs(1, 2), []] };
}
