import type { Flow, Network } from '../graph/network.ts';
import { MIN_FINE_UNITS } from '../settle/push.ts';

/**
 * Returns variants of the network for comparison. A node is coarse if only a few base units flow
 * through it: rounding may then cost more than the paths through the node gain. There is one
 * variant without each coarse node, and one without all coarse nodes.
 */
export function withoutCoarseTokens(network: Network, flows: readonly Flow[]): Network[] {
  const last = network.nodes.length - 1;
  const inflows = new Map<number, bigint>();
  for (const { link, amountOut } of flows) {
    if (link.to !== last) inflows.set(link.to, (inflows.get(link.to) ?? 0n) + amountOut);
  }
  const coarse = [...inflows].filter(([, units]) => units < MIN_FINE_UNITS).map(([node]) => node);
  const groups = coarse.length > 1 ? [...coarse.map((node) => [node]), coarse] : [coarse];
  return groups.flatMap((nodes) => (nodes.length === 0 ? [] : (without(network, nodes) ?? [])));
}

function without({ nodes }: Network, removed: readonly number[]): Network | undefined {
  const gone = new Set(removed);
  const last = nodes.length - 1;
  // Visits nodes in descending order, because links always lead to higher nodes.
  for (let node = last - 1; node >= 0; node--) {
    if (!nodes[node]?.some(({ to }) => !gone.has(to))) gone.add(node);
  }
  const met = new Set([0]);
  const left = nodes.map((links, node) => {
    if (!met.has(node) || gone.has(node)) return [];
    const open = links.filter(({ to }) => !gone.has(to));
    for (const { to } of open) met.add(to);
    return open;
  });
  return met.has(last) ? { nodes: left } : undefined;
}
