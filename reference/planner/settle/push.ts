import { type Arc, type Flow, flowOf, type Network, roundingOf } from '../graph/network.ts';
import { FEW_UNITS } from './coarse-tokens.ts';

/** What a network does with an amount, exactly as the pools' contracts do. */
export type Push =
  | {
      readonly kind: 'filled';
      readonly flows: readonly Flow[];
      readonly amountOut: bigint;
      /** What whole numbers may have cost, as part of the trade. */
      readonly rounding: number;
    }
  /** The pools take less. */
  | { readonly kind: 'exhausted' }
  /** So little that some pool gives nothing. */
  | { readonly kind: 'dust' };

/** How often what a node cannot take is turned back to where it was split off. */
const MAX_TURNS = 24;

/**
 * Returns the swaps by which exactly `amountIn` goes through the network: each
 * node passes on all it gets, to the base unit. What a pool cannot take goes to
 * the node's other arcs; what a node cannot take goes other ways.
 */
export function push(network: Network, amountIn: bigint, spares = true): Push {
  const limits = new Map<Arc, bigint>();
  const last = network.nodes.length - 1;
  let shortfall: keyof typeof SHORT = 'dust';
  turns: for (let turn = 0; turn < MAX_TURNS; turn++) {
    const inflows = network.nodes.map((_, node) => (node === 0 ? amountIn : 0n));
    const shares = network.nodes.map((_, node) => Number(node === 0));
    const flows: Flow[] = [];
    let rounding = 0;
    for (const [node, arcs] of network.nodes.entries()) {
      const inflow = inflows[node] ?? 0n;
      if (node === last || inflow === 0n) continue;
      const filled = fill(arcs, inflow, limits, spares);
      if (filled.isExhausted) shortfall = 'exhausted';
      if (filled.taken < inflow) {
        if (node === 0) return SHORT[shortfall];
        turnBack(flows, node, inflow - filled.taken, limits);
        continue turns;
      }
      for (const flow of filled.flows) {
        const { to } = flow.arc;
        const share = ((shares[node] ?? 0) * Number(flow.amountIn)) / Number(inflow);
        flows.push(flow);
        inflows[to] = (inflows[to] ?? 0n) + flow.amountOut;
        shares[to] = (shares[to] ?? 0) + share;
        rounding += roundingOf(flow, share);
      }
    }
    return { kind: 'filled', flows, amountOut: inflows[last] ?? 0n, rounding };
  }
  return SHORT[shortfall];
}

const SHORT = { exhausted: { kind: 'exhausted' }, dust: { kind: 'dust' } } as const;

/** Limits the flows into `node` so that it gets `excess` less: those whose price moves, if they give that much. */
function turnBack(
  flows: readonly Flow[],
  node: number,
  excess: bigint,
  limits: Map<Arc, bigint>,
): void {
  const into = flows.filter(({ arc }) => arc.to === node);
  const moving = into.filter(({ arc }) => arc.fixed === undefined);
  const sumOf = (some: readonly Flow[]) => some.reduce((sum, flow) => sum + flow.amountOut, 0n);
  const turned = sumOf(moving) >= excess ? moving : into;
  const kept = divide(
    sumOf(turned) - excess,
    turned.map(({ amountOut }) => amountOut),
  );
  for (const [index, { arc }] of turned.entries()) limits.set(arc, mostFor(arc, kept[index] ?? 0n));
}

/** The most that gives no more than `amountOut`, to a base unit. */
function mostFor({ hop }: Arc, amountOut: bigint): bigint {
  if (amountOut === 0n) return 0n;
  const { amountIn } = hop.curve.swapExactOutput(amountOut);
  return hop.curve.swapExactInput(amountIn).amountOut > amountOut ? amountIn - 1n : amountIn;
}

type Filled = {
  readonly flows: readonly Flow[];
  readonly taken: bigint;
  /** Some pool or limit took less than its part. */
  readonly isExhausted: boolean;
};

function fill(
  arcs: readonly Arc[],
  inflow: bigint,
  limits: ReadonlyMap<Arc, bigint>,
  spares: boolean,
): Filled {
  let capped: Map<Arc, Flow | undefined> | undefined;
  let taken = 0n;
  let isExhausted = false;
  let hasSpared = false;
  for (;;) {
    const open = capped ? arcs.filter((arc) => !capped?.has(arc)) : arcs;
    const parts = partsOf(open, inflow - taken);
    const flows: Flow[] = [];
    let isSettled = true;
    let left = open.length;
    for (const [index, arc] of open.entries()) {
      const part = parts[index] ?? 0n;
      if (part === 0n) continue;
      const limit = limits.get(arc) ?? part;
      const offered = part < limit ? part : limit;
      const outcome = offered > 0n ? arc.hop.curve.swapExactInput(offered) : undefined;
      const flow =
        outcome === undefined || outcome.amountOut === 0n ? undefined : flowOf(arc, outcome);
      const spared = spares && flow && left > 1 ? withoutWaste(flow) : undefined;
      if (flow?.amountIn === part && spared === undefined) {
        flows.push(flow);
        continue;
      }
      if (outcome?.kind === 'exhausted') isExhausted = true;
      if (spared !== undefined) hasSpared = true;
      left -= 1;
      capped ??= new Map();
      capped.set(arc, spared ?? flow);
      taken += (spared ?? flow)?.amountIn ?? 0n;
      isSettled = false;
    }
    if (isSettled) {
      const sum = flows.reduce((total, flow) => total + flow.amountIn, taken);
      // Nothing else takes what is spared.
      if (hasSpared && sum < inflow) return fill(arcs, inflow, limits, false);
      for (const flow of capped?.values() ?? []) if (flow) flows.push(flow);
      return { flows, taken: sum, isExhausted };
    }
  }
}

/** Returns a swap that gives as much for less; undefined where there is none that is worth a thought. */
function withoutWaste({ arc, amountIn, amountOut }: Flow): Flow | undefined {
  if (amountOut >= FEW_UNITS) return undefined;
  const { amountIn: least } = arc.hop.curve.swapExactOutput(amountOut);
  if (least >= amountIn) return undefined;
  const outcome = arc.hop.curve.swapExactInput(least);
  return outcome.amountOut === amountOut ? flowOf(arc, outcome) : undefined;
}

/** What each arc is offered of `total`: fixed parts first, if that leaves something for others. */
function partsOf(arcs: readonly Arc[], total: bigint): bigint[] {
  if (arcs.length === 1) return [total];
  const rest = arcs.reduce((left, { fixed }) => left - (fixed ?? 0n), total);
  if (rest === total || rest <= 0n || arcs.every(({ fixed }) => fixed !== undefined)) {
    return divide(
      total,
      arcs.map(({ weight }) => weight),
    );
  }
  const shares = divide(
    rest,
    arcs.map(({ weight, fixed }) => (fixed === undefined ? weight : 0n)),
  );
  return arcs.map(({ fixed }, index) => fixed ?? shares[index] ?? 0n);
}

/**
 * Splits `total` in proportion to the weights, in whole numbers that sum to it;
 * what is rounded goes to the first. No part falls where `total` rises.
 */
export function divide(total: bigint, weights: readonly bigint[]): bigint[] {
  let left = total;
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0n);
  return weights.map((weight) => {
    const others = weightLeft === 0n ? 0n : (left * (weightLeft - weight)) / weightLeft;
    const part = left - others;
    left = others;
    weightLeft -= weight;
    return part;
  });
}
