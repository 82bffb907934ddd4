import { structureAmount } from './exact-input.ts';
import { leastInputFlows } from './least-input.ts';
import { type Flow, isCoarse, type Network, pull } from './network.ts';
import type { Search } from './search.ts';

/** Swaps settled as exact output, and what they cost. */
export type Pulled = { readonly flows: readonly Flow[]; readonly amountIn: bigint };

/**
 * Returns the swaps that buy exactly `buyAmount` for the least; `undefined` if
 * the pools do not hold it.
 *
 * The network is the one that exact input would use for the amount that this
 * costs, so what exact input returned can be bought for what it sold.
 */
export function fillExactOutput(search: Search, buyAmount: bigint): Pulled | undefined {
  const output = Number(buyAmount);
  if (output > search.capacityOut * (1 + 1e-9)) return undefined;
  const input = inputFor(search, output);
  if (input === undefined) return undefined;
  const guess = BigInt(Math.max(1, Math.round(input)));
  const split = bestSplit(search, buyAmount, input);
  if (split !== undefined && !isCoarse(split.flows)) return split;
  const spares = search.spares(input).map((it) => buyThrough(it, buyAmount, guess));
  const singles = search.singles(input).map((it) => settled(it, pull(it, new Map(), buyAmount)));
  return cheapest([split, ...spares, ...singles]);
}

/** How often the amount that a split was worked out for is corrected to what it costs. */
const MAX_ROUNDS = 4;

function bestSplit(search: Search, buyAmount: bigint, input: number): Pulled | undefined {
  const tried = new Set<number>();
  let best: Pulled | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const cost = best?.amountIn ?? BigInt(Math.max(1, Math.round(input)));
    const amounts = structureAmounts(round === 0 ? input : Number(cost));
    const untried = [...amounts].filter((amount) => !tried.has(amount));
    if (untried.length === 0) break;
    for (const amount of untried) {
      tried.add(amount);
      const network = search.split(amount)?.network;
      if (network !== undefined) best = cheapest([best, buyThrough(network, buyAmount, cost)]);
    }
  }
  return best;
}

function cheapest(candidates: readonly (Pulled | undefined)[]): Pulled | undefined {
  return candidates
    .filter((pulled) => pulled !== undefined)
    .reduce<Pulled | undefined>(
      (best, pulled) => (best === undefined || isCheaper(pulled, best) ? pulled : best),
      undefined,
    );
}

function isCheaper(one: Pulled, other: Pulled): boolean {
  if (one.amountIn !== other.amountIn) return one.amountIn < other.amountIn;
  return one.flows.length < other.flows.length;
}

/** The amounts that stand for this one, and for those next to it where rounding could have gone either way. */
function structureAmounts(input: number): Set<number> {
  const nearby = [1 - 1e-8, 1 + 1e-8].map((factor) => structureAmount(input * factor));
  const steps = input < 2 ** 20 ? [0, 1, 2, 3].map((step) => Math.ceil(input) + step) : [];
  return new Set([...nearby, ...steps]);
}

/**
 * Solves `output` = what the best split of the input gives. Each step fits
 * `price * x / (1 + bend * x)` to where the last one stands, within the bounds
 * known so far.
 */
function inputFor(search: Search, output: number): number | undefined {
  let low = 0;
  let high = search.capacityIn;
  let input = Math.min(high, output / search.bestPrice());
  for (let iteration = 0; iteration < 40; iteration++) {
    const split = search.estimate(input);
    if (split === undefined) return undefined;
    if (Math.abs(output - split.output) <= 1e-11 * output) return input;
    if (split.output < output) low = input;
    else high = input;
    if (high - low <= 1e-13 * high) return high;
    const slope = split.output / input / split.price;
    const price = (slope * split.output) / input;
    const next = output / (price - ((slope - 1) / input) * output);
    if (next > low && next < high) input = next;
    else input = low === 0 ? high / 2 : Math.min(Math.sqrt(low) * Math.sqrt(high), low * 16);
  }
  return input;
}

/** Finds the least input that yields enough through the network, then buys exactly that much back to front. */
function buyThrough(network: Network, buyAmount: bigint, guess: bigint): Pulled | undefined {
  const flows = leastInputFlows(network, buyAmount, guess);
  if (flows === undefined) return undefined;
  const targets = new Map(flows.map((flow) => [flow.arc, flow.amountOut]));
  return settled(network, pull(network, targets, buyAmount));
}

function settled({ nodes }: Network, flows: readonly Flow[] | undefined): Pulled | undefined {
  if (flows === undefined) return undefined;
  const sold = flows.filter((flow) => nodes[0]?.includes(flow.arc));
  return { flows, amountIn: sold.reduce((sum, flow) => sum + flow.amountIn, 0n) };
}
