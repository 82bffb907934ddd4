import { type Flow, flowOf, type Link, type Network, roundingOf } from '../graph/network.ts';

/** Amounts of fewer base units are coarse: rounding by one unit matters to the trade. */
export const MIN_FINE_UNITS = 2n ** 20n;

/**
 * Result of pushing an input through a network, exactly as the pools' contracts would settle it.
 */
export type Push =
  | {
      readonly kind: 'filled';
      readonly flows: readonly Flow[];
      readonly amountOut: bigint;
      /** Upper bound on the cost of integer rounding, relative to the trade. */
      readonly rounding: number;
    }
  /** The pools take less than the input. */
  | { readonly kind: 'exhausted' }
  /** The input is so small that a pool gives nothing. */
  | { readonly kind: 'dust' };

/** Maximum number of times that the flow is split again because a node cannot take its inflow. */
const MAX_TURNS = 24;

/**
 * Returns the swaps by which exactly `amountIn` flows through a network. Each node passes on its
 * whole inflow, to the base unit. If a pool cannot take an amount, the node's other links take it.
 * If a node cannot take an amount, it is split differently upstream.
 * @param savesWaste - If true, a pool with a small output receives only the cost of that output,
 * and the node's other links receive the rest. Either value may yield more: without saving, one
 * trade in 100 along disjoint paths loses up to 6.2e-6.
 */
export function push(network: Network, amountIn: bigint, savesWaste = true): Push {
  const limits = new Map<Link, bigint>();
  const last = network.nodes.length - 1;
  let shortfall: 'exhausted' | 'dust' = 'dust';
  turns: for (let turn = 0; turn < MAX_TURNS; turn++) {
    const inflows = network.nodes.map((_, node) => (node === 0 ? amountIn : 0n));
    const shares = network.nodes.map((_, node) => Number(node === 0));
    const flows: Flow[] = [];
    let rounding = 0;
    for (const [node, links] of network.nodes.entries()) {
      const inflow = inflows[node] ?? 0n;
      if (node === last || inflow === 0n) continue;
      const filled = fill(links, inflow, limits, savesWaste);
      if (filled.isExhausted) shortfall = 'exhausted';
      if (filled.taken < inflow) {
        if (node === 0) return { kind: shortfall };
        turnBack(flows, node, inflow - filled.taken, limits);
        continue turns;
      }
      for (const flow of filled.flows) {
        const { to } = flow.link;
        const share = ((shares[node] as number) * Number(flow.amountIn)) / Number(inflow);
        flows.push(flow);
        inflows[to] = (inflows[to] ?? 0n) + flow.amountOut;
        shares[to] = (shares[to] as number) + share;
        rounding += roundingOf(flow, share);
      }
    }
    return { kind: 'filled', flows, amountOut: inflows[last] ?? 0n, rounding };
  }
  return { kind: shortfall };
}

/**
 * Limits the links into a node so that the excess no longer reaches it. Lowers fixed inputs only if
 * the other flows do not suffice.
 */
function turnBack(
  flows: readonly Flow[],
  node: number,
  excess: bigint,
  limits: Map<Link, bigint>,
): void {
  const into = flows.filter(({ link }) => link.to === node);
  const moving = into.filter(({ link }) => link.fixed === undefined);
  const sumOf = (some: readonly Flow[]) => some.reduce((sum, flow) => sum + flow.amountOut, 0n);
  const turned = sumOf(moving) >= excess ? moving : into;
  const outputs = divide(
    sumOf(turned) - excess,
    turned.map(({ amountOut }) => amountOut),
  );
  for (const [index, { link }] of turned.entries()) {
    limits.set(link, maxInputFor(link, outputs[index] ?? 0n));
  }
}

function maxInputFor({ arc: { curve } }: Link, amountOut: bigint): bigint {
  if (amountOut === 0n) return 0n;
  const { amountIn } = curve.swapExactOutput(amountOut);
  return curve.swapExactInput(amountIn).amountOut > amountOut ? amountIn - 1n : amountIn;
}

type Filled = {
  readonly flows: readonly Flow[];
  readonly taken: bigint;
  readonly isExhausted: boolean;
};

function fill(
  links: readonly Link[],
  inflow: bigint,
  limits: ReadonlyMap<Link, bigint>,
  savesWaste: boolean,
): Filled {
  let capped: Map<Link, Flow | undefined> | undefined;
  let taken = 0n;
  let isExhausted = false;
  let hasSaved = false;
  for (;;) {
    const open = capped ? links.filter((link) => !capped?.has(link)) : links;
    const parts = partsOf(open, inflow - taken);
    const flows: Flow[] = [];
    let isSettled = true;
    let left = open.length;
    for (const [index, link] of open.entries()) {
      const part = parts[index] ?? 0n;
      if (part === 0n) continue;
      const limit = limits.get(link) ?? part;
      const offered = part < limit ? part : limit;
      const outcome = offered > 0n ? link.arc.curve.swapExactInput(offered) : undefined;
      const flow =
        outcome === undefined || outcome.amountOut === 0n ? undefined : flowOf(link, outcome);
      const saved = savesWaste && flow && left > 1 ? withoutWaste(flow) : undefined;
      if (flow?.amountIn === part && saved === undefined) {
        flows.push(flow);
        continue;
      }
      if (outcome?.kind === 'exhausted') isExhausted = true;
      if (saved !== undefined) hasSaved = true;
      left -= 1;
      capped ??= new Map();
      capped.set(link, saved ?? flow);
      taken += (saved ?? flow)?.amountIn ?? 0n;
      isSettled = false;
    }
    if (isSettled) {
      const sum = flows.reduce((total, flow) => total + flow.amountIn, taken);
      // The saved amount fits into no other link, so fill the links again without saving.
      if (hasSaved && sum < inflow) return fill(links, inflow, limits, false);
      for (const flow of capped?.values() ?? []) if (flow) flows.push(flow);
      return { flows, taken: sum, isExhausted };
    }
  }
}

function withoutWaste({ link, amountIn, amountOut }: Flow): Flow | undefined {
  if (amountOut >= MIN_FINE_UNITS) return undefined;
  const { curve } = link.arc;
  const { amountIn: cost } = curve.swapExactOutput(amountOut);
  if (cost >= amountIn) return undefined;
  const outcome = curve.swapExactInput(cost);
  return outcome.amountOut === amountOut ? flowOf(link, outcome) : undefined;
}

/**
 * Splits `total` among the links. Fixed inputs are served first, provided that something remains
 * for the other links.
 */
function partsOf(links: readonly Link[], total: bigint): bigint[] {
  if (links.length === 1) return [total];
  const rest = links.reduce((left, { fixed }) => left - (fixed ?? 0n), total);
  if (rest === total || rest <= 0n || links.every(({ fixed }) => fixed !== undefined)) {
    return divide(
      total,
      links.map(({ weight }) => weight),
    );
  }
  const shares = divide(
    rest,
    links.map(({ weight, fixed }) => (fixed === undefined ? weight : 0n)),
  );
  return links.map(({ fixed }, index) => fixed ?? shares[index] ?? 0n);
}

/**
 * Splits `total` in proportion to the weights. The parts are whole numbers that sum to `total`; the
 * first parts absorb rounding. A larger total never makes a part smaller.
 */
function divide(total: bigint, weights: readonly bigint[]): bigint[] {
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
