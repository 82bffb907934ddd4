import { type Flow, flowOf, type Link, type Network, roundingOf } from '../graph/network.ts';

/** Swaps settled as exact output, with their total input. */
export type Pulled = {
  readonly flows: readonly Flow[];
  readonly amountIn: bigint;
  /** Upper bound on the cost of integer rounding, relative to the trade. */
  readonly rounding: number;
};

/** Planned output of each link, in base units. */
export type Targets = ReadonlyMap<Link, bigint>;

/**
 * Settles each swap as exact output, so that a network pays out exactly `amountOut` and every node
 * receives exactly the cost of the links that leave it. Returns `undefined` if a pool gives too
 * little. `targets` determine how the links into a node split the amount that the node needs. Links
 * without a fixed input absorb the difference.
 */
export function pull(network: Network, targets: Targets, amountOut: bigint): Pulled | undefined {
  const last = network.nodes.length - 1;
  const needs = network.nodes.map((_, node) => (node === last ? amountOut : 0n));
  const shares = network.nodes.map((_, node) => Number(node === last));
  const entering = linksByHead(network);
  const flows: Flow[] = [];
  let rounding = 0;
  for (let node = last; node > 0; node--) {
    const need = needs[node] ?? 0n;
    if (need === 0n) continue;
    for (const { link, from, part } of partsOf(entering[node] ?? [], targets, need)) {
      const outcome = link.arc.curve.swapExactOutput(part);
      if (outcome.kind === 'exhausted') return undefined;
      const flow = flowOf(link, outcome);
      const share = ((shares[node] as number) * Number(part)) / Number(need);
      flows.push(flow);
      needs[from] = (needs[from] ?? 0n) + flow.amountIn;
      shares[from] = (shares[from] as number) + share;
      rounding += roundingOf(flow, share);
    }
  }
  return { flows: flows.reverse(), amountIn: needs[0] ?? 0n, rounding };
}

type Entry = { readonly link: Link; readonly from: number };

function linksByHead({ nodes }: Network): Entry[][] {
  const entering: Entry[][] = nodes.map(() => []);
  for (const [from, links] of nodes.entries()) {
    for (const link of links) entering[link.to]?.push({ link, from });
  }
  return entering;
}

/**
 * Returns parts that sum to `need`. Each link gives its target plus its part of the difference.
 * Links without a fixed input share the difference, and the largest of them absorbs rounding.
 */
function partsOf(
  entering: readonly Entry[],
  targets: Targets,
  need: bigint,
): (Entry & { readonly part: bigint })[] {
  const isFixed = ({ link }: Entry) => link.fixed !== undefined;
  const wanted = entering
    .map((entry) => ({ ...entry, part: targets.get(entry.link) ?? 0n }))
    .sort((a, b) => Number(isFixed(a)) - Number(isFixed(b)) || (a.part < b.part ? 1 : -1));
  const sumOf = (entries: readonly { readonly part: bigint }[]) =>
    entries.reduce((sum, { part }) => sum + part, 0n);
  const moving = wanted.filter((entry) => !isFixed(entry));
  const over = sumOf(wanted) - need;
  const movable = sumOf(moving);
  if (movable > 0n && over <= movable) {
    for (const entry of moving) entry.part -= (over * entry.part) / movable;
  }
  let rest = sumOf(wanted) - need;
  for (const entry of wanted) {
    if (rest <= entry.part) {
      entry.part -= rest;
      break;
    }
    rest -= entry.part;
    entry.part = 0n;
  }
  return wanted.filter(({ part }) => part > 0n);
}
