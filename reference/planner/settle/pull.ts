import { type Arc, type Flow, flowOf, type Network, roundingOf } from '../graph/network.ts';

/** Swaps settled as exact output, and what they cost. */
export type Pulled = {
  readonly flows: readonly Flow[];
  readonly amountIn: bigint;
  /** What whole numbers may have cost, as part of the trade. */
  readonly rounding: number;
};

/** What each arc should give, in base units. */
export type Targets = ReadonlyMap<Arc, bigint>;

/**
 * Returns the swaps, each settled as exact output, by which exactly `amountOut`
 * comes out of the network and every node gets exactly what its arcs cost.
 * `targets` says how to split; the arc that makes up the difference is the
 * largest into a node whose price moves. `undefined` where a pool gives less.
 */
export function pull(network: Network, targets: Targets, amountOut: bigint): Pulled | undefined {
  const last = network.nodes.length - 1;
  const needs = network.nodes.map((_, node) => (node === last ? amountOut : 0n));
  const shares = network.nodes.map((_, node) => Number(node === last));
  const into = arcsByHead(network);
  const flows: Flow[] = [];
  let rounding = 0;
  for (let node = last; node > 0; node--) {
    const need = needs[node] ?? 0n;
    if (need === 0n) continue;
    for (const { arc, from, part } of partsOf(into[node] ?? [], targets, need)) {
      const outcome = arc.hop.curve.swapExactOutput(part);
      if (outcome.kind === 'exhausted') return undefined;
      const flow = flowOf(arc, outcome);
      const share = ((shares[node] ?? 0) * Number(part)) / Number(need);
      flows.push(flow);
      needs[from] = (needs[from] ?? 0n) + flow.amountIn;
      shares[from] = (shares[from] ?? 0) + share;
      rounding += roundingOf(flow, share);
    }
  }
  return { flows: flows.reverse(), amountIn: needs[0] ?? 0n, rounding };
}

type Entry = { readonly arc: Arc; readonly from: number };

function arcsByHead({ nodes }: Network): Entry[][] {
  const into: Entry[][] = nodes.map(() => []);
  for (const [from, arcs] of nodes.entries()) {
    for (const arc of arcs) into[arc.to]?.push({ arc, from });
  }
  return into;
}

function isFixed({ arc }: Entry): boolean {
  return arc.fixed !== undefined;
}

/**
 * What each arc into a node gives, so that the sum is `need`: its target, and its
 * part of the difference, which is shared among those whose price moves; the
 * largest of them takes what is rounded.
 */
function partsOf(
  into: readonly Entry[],
  targets: Targets,
  need: bigint,
): (Entry & { readonly part: bigint })[] {
  const wanted = into
    .map((entry) => ({ ...entry, part: targets.get(entry.arc) ?? 0n }))
    .sort((a, b) => Number(isFixed(a)) - Number(isFixed(b)) || (a.part < b.part ? 1 : -1));
  const sumOf = (entries: readonly { readonly part: bigint }[]) =>
    entries.reduce((sum, { part }) => sum + part, 0n);
  const moving = wanted.filter((entry) => !isFixed(entry));
  const over = sumOf(wanted) - need;
  const moved = sumOf(moving);
  if (moved > 0n && over <= moved) {
    for (const entry of moving) entry.part -= (over * entry.part) / moved;
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
