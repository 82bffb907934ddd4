import type { Flow, Network } from '../graph/network.ts';

/** Of a token of which so few base units move, a part of one is much of the trade. */
export const FEW_UNITS = 2n ** 20n;

/**
 * Returns networks that leave out tokens on the way of which few base units flow:
 * each of them, and all. What pools round there, fees too, may be more than the
 * way through them gains.
 */
export function withoutCoarseTokens(network: Network, flows: readonly Flow[]): Network[] {
  const last = network.nodes.length - 1;
  const inflows = new Map<number, bigint>();
  for (const { arc, amountOut } of flows) {
    if (arc.to !== last) inflows.set(arc.to, (inflows.get(arc.to) ?? 0n) + amountOut);
  }
  const coarse = [...inflows].filter(([, units]) => units < FEW_UNITS).map(([node]) => node);
  const groups = coarse.length > 1 ? [...coarse.map((node) => [node]), coarse] : [coarse];
  return groups.flatMap((nodes) => (nodes.length === 0 ? [] : (without(network, nodes) ?? [])));
}

/** Returns the network without some nodes, and without those that then nothing leads to, or that lead nowhere; `undefined` if nothing is left. */
function without({ nodes }: Network, left: readonly number[]): Network | undefined {
  const gone = new Set(left);
  const last = nodes.length - 1;
  // Arcs lead to higher nodes: whether a node leads on is known before those that lead to it.
  for (let node = last - 1; node >= 0; node--) {
    if (!nodes[node]?.some(({ to }) => !gone.has(to))) gone.add(node);
  }
  const met = new Set([0]);
  const kept = nodes.map((arcs, node) => {
    if (!met.has(node) || gone.has(node)) return [];
    const open = arcs.filter(({ to }) => !gone.has(to));
    for (const { to } of open) met.add(to);
    return open;
  });
  return met.has(last) ? { nodes: kept } : undefined;
}
