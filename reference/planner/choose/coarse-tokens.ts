import type { Flow, Network } from '../graph/network.ts';
import { MIN_FINE_UNITS } from '../settle/push.ts';

/**
 * Returns variants of the network without the intermediate nodes through which few base units flow: one without each
 * such node, and one without all of them. Rounding at such a node, fees included, may cost more than the path through
 * it gains.
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
  // Links lead to higher nodes, which are visited first to learn whether they lead on.
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
