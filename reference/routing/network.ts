import { swapExactInput, swapExactOutput } from '../pools/families.ts';
import type { SwapOutcome } from '../pools/pool.ts';
import type { PlanSwap } from './plan.ts';
import type { Hop } from './pool-graph.ts';

/** A hop of a network: what flows into its node is shared among the node's arcs by weight. */
export type Arc = {
  readonly hop: Hop;
  /** Index of the node that the hop leads to; above that of the node it leaves. */
  readonly to: number;
  /** Above 0. */
  readonly weight: bigint;
};

/**
 * Which pools a trade uses and how it splits: an acyclic graph. `nodes[i]` are
 * the arcs that leave node `i`; node 0 is the sell token, the last the buy token.
 * A node is a token, or the token as one path holds it.
 */
export type Network = {
  readonly nodes: readonly (readonly Arc[])[];
};

/** A swap at its place in a network. */
export type Flow = PlanSwap & { readonly arc: Arc };

/** Below this, in base units, whole numbers matter more than marginal prices. */
const COARSE = 1n << 20n;

/** Tells whether some amount is so small that a whole number is more than a millionth of it. */
export function isCoarse(flows: readonly Flow[]): boolean {
  return flows.some(({ amountIn, amountOut }) => amountIn < COARSE || amountOut < COARSE);
}

/** What a network does with an amount, exactly as the pools' contracts do. */
export type Push =
  | { readonly kind: 'filled'; readonly flows: readonly Flow[]; readonly amountOut: bigint }
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
export function push(network: Network, amountIn: bigint): Push {
  const limits = new Map<Arc, bigint>();
  const last = network.nodes.length - 1;
  let shortfall: keyof typeof SHORT = 'dust';
  turns: for (let turn = 0; turn < MAX_TURNS; turn++) {
    const inflows = network.nodes.map((_, node) => (node === 0 ? amountIn : 0n));
    const flows: Flow[] = [];
    for (const [node, arcs] of network.nodes.entries()) {
      const inflow = inflows[node] ?? 0n;
      if (node === last || inflow === 0n) continue;
      const filled = share(arcs, inflow, limits);
      if (filled.isExhausted) shortfall = 'exhausted';
      if (filled.taken < inflow) {
        if (node === 0) return SHORT[shortfall];
        for (const flow of flows) {
          if (flow.arc.to === node) limits.set(flow.arc, inputFor(flow, filled.taken, inflow));
        }
        continue turns;
      }
      for (const flow of filled.flows) {
        flows.push(flow);
        inflows[flow.arc.to] = (inflows[flow.arc.to] ?? 0n) + flow.amountOut;
      }
    }
    return { kind: 'filled', flows, amountOut: inflows[last] ?? 0n };
  }
  return SHORT[shortfall];
}

const SHORT = { exhausted: { kind: 'exhausted' }, dust: { kind: 'dust' } } as const;

/** The most that may go in so that the output's part of a node's inflow shrinks to its part of `taken`. */
function inputFor(flow: Flow, taken: bigint, inflow: bigint): bigint {
  const amountOut = (flow.amountOut * taken) / inflow;
  if (amountOut === 0n) return 0n;
  return swapExactOutput(flow.pool, flow.tokenIn, amountOut).amountIn - 1n;
}

type Filled = {
  readonly flows: readonly Flow[];
  readonly taken: bigint;
  /** Some pool or limit took less than its part. */
  readonly isExhausted: boolean;
};

function share(arcs: readonly Arc[], inflow: bigint, limits: ReadonlyMap<Arc, bigint>): Filled {
  const capped = new Map<Arc, Flow | undefined>();
  let taken = 0n;
  let isExhausted = false;
  for (;;) {
    const open = arcs.filter((arc) => !capped.has(arc));
    const parts = divide(
      inflow - taken,
      open.map((arc) => arc.weight),
    );
    const flows: Flow[] = [];
    let isSettled = true;
    for (const [index, arc] of open.entries()) {
      const part = parts[index] ?? 0n;
      if (part === 0n) continue;
      const limit = limits.get(arc) ?? part;
      const offered = part < limit ? part : limit;
      const outcome = offered > 0n ? swapOf(arc, offered) : undefined;
      const flow =
        outcome === undefined || outcome.amountOut === 0n ? undefined : flowOf(arc, outcome);
      if (flow?.amountIn === part) {
        flows.push(flow);
        continue;
      }
      if (outcome?.kind === 'exhausted') isExhausted = true;
      capped.set(arc, flow);
      taken += flow?.amountIn ?? 0n;
      isSettled = false;
    }
    if (isSettled) {
      const kept = [...capped.values()].filter((flow) => flow !== undefined);
      const sum = flows.reduce((total, flow) => total + flow.amountIn, taken);
      return { flows: [...flows, ...kept], taken: sum, isExhausted };
    }
  }
}

function swapOf({ hop }: Arc, amountIn: bigint): SwapOutcome {
  return swapExactInput(hop.pool, hop.tokenIn, amountIn);
}

function flowOf(arc: Arc, { amountIn, amountOut }: SwapOutcome): Flow {
  const { pool, tokenIn, tokenOut } = arc.hop;
  return { arc, pool, tokenIn, tokenOut, amountIn, amountOut };
}

/** Splits `total` in proportion to the weights, in whole numbers; the remainder goes to the heaviest. */
export function divide(total: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((all, weight) => all + weight, 0n);
  let heaviest = 0;
  let rest = total;
  const parts = weights.map((weight, index) => {
    if (weight > (weights[heaviest] ?? 0n)) heaviest = index;
    const part = (total * weight) / sum;
    rest -= part;
    return part;
  });
  if (parts.length > 0) parts[heaviest] = (parts[heaviest] ?? 0n) + rest;
  return parts;
}

/** What each arc should give, in base units. */
export type Targets = ReadonlyMap<Arc, bigint>;

/**
 * Returns the swaps, each settled as exact output, by which exactly `amountOut`
 * comes out of the network and every node gets exactly what its arcs cost.
 * `targets` says how to split; the largest arc into a node makes up the
 * difference. `undefined` where a pool gives less.
 */
export function pull(network: Network, targets: Targets, amountOut: bigint): Flow[] | undefined {
  const needs = network.nodes.map(() => 0n);
  needs[needs.length - 1] = amountOut;
  const flows: Flow[] = [];
  const into = arcsByHead(network);
  for (let node = needs.length - 1; node > 0; node--) {
    const need = needs[node] ?? 0n;
    if (need === 0n) continue;
    for (const [arc, from, part] of parts(into[node] ?? [], targets, need)) {
      const { pool, tokenIn } = arc.hop;
      const outcome = swapExactOutput(pool, tokenIn, part);
      if (outcome.kind === 'exhausted') return undefined;
      flows.push(flowOf(arc, outcome));
      needs[from] = (needs[from] ?? 0n) + outcome.amountIn;
    }
  }
  return flows.reverse();
}

type Entry = readonly [arc: Arc, from: number];

function arcsByHead({ nodes }: Network): Entry[][] {
  const into: Entry[][] = nodes.map(() => []);
  for (const [from, arcs] of nodes.entries()) {
    for (const arc of arcs) into[arc.to]?.push([arc, from]);
  }
  return into;
}

/** What each arc into a node gives, so that the sum is `need`. */
function parts(
  into: readonly Entry[],
  targets: Targets,
  need: bigint,
): (readonly [Arc, number, bigint])[] {
  const wanted = into
    .map(([arc, from]) => ({ arc, from, part: targets.get(arc) ?? 0n }))
    .sort((a, b) => (a.part < b.part ? 1 : a.part > b.part ? -1 : 0));
  let over = wanted.reduce((sum, { part }) => sum + part, -need);
  for (const entry of wanted) {
    if (over <= entry.part) {
      entry.part -= over;
      break;
    }
    over -= entry.part;
    entry.part = 0n;
  }
  return wanted.filter(({ part }) => part > 0n).map(({ arc, from, part }) => [arc, from, part]);
}
