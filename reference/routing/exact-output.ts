import { structureAmount } from './exact-input.ts';
import { type Flow, type Network, pull, push } from './network.ts';
import type { Search, Split } from './search.ts';

/** Swaps settled as exact output, and what they cost. */
export type Pulled = { readonly flows: readonly Flow[]; readonly amountIn: bigint };

/** Below this, in base units, whole numbers matter more than marginal prices. */
const COARSE = 1n << 24n;

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
  const through = (network: Network) => buyThrough(network, buyAmount, guess);
  const best = cheapest(splits(search, input).map(through));
  if (best !== undefined && best.amountIn >= COARSE && buyAmount >= COARSE) return best;
  const others = [...search.singles(input), ...search.spares(input)];
  return cheapest([best, ...others.map(through)]);
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

function splits(search: Search, input: number): Network[] {
  return [...structureAmounts(input)]
    .map((amount) => search.split(amount)?.network)
    .filter((network) => network !== undefined);
}

/** The structure of the amount, and of its neighbour where rounding could have gone either way. */
function structureAmounts(input: number): Set<number> {
  return new Set([1 - 1e-9, 1 + 1e-9].map((factor) => structureAmount(input * factor)));
}

/** Solves `output` = what the best split of the input gives, by Newton: output is concave, so it comes from below. */
function inputFor(search: Search, output: number): number | undefined {
  let input = Math.min(search.capacityIn, Math.max(1, output / firstPrice(search)));
  for (let iteration = 0; iteration < 24; iteration++) {
    const split: Split | undefined = search.estimate(input);
    if (split === undefined) return undefined;
    const missing = output - split.output;
    if (Math.abs(missing) <= 1e-11 * output) return input;
    if (missing > 0 && (input >= search.capacityIn || split.price === 0)) return search.capacityIn;
    const next = input + missing / split.price;
    if (next <= 0 || Math.abs(next - input) <= 1e-13 * input) return input;
    input = Math.min(search.capacityIn, next);
  }
  return input;
}

function firstPrice(search: Search): number {
  return search.estimate(1)?.price ?? 1;
}

/** Finds the least input that yields enough through the network, then buys exactly that much back to front. */
function buyThrough(network: Network, buyAmount: bigint, guess: bigint): Pulled | undefined {
  const found = leastInput(network, buyAmount, guess);
  if (found === undefined) return undefined;
  const targets = new Map(found.map((flow) => [flow.arc, flow.amountOut]));
  const flows = pull(network, targets, buyAmount);
  if (flows === undefined) return undefined;
  const amountIn = flows.reduce(
    (sum, flow) => (network.nodes[0]?.includes(flow.arc) ? sum + flow.amountIn : sum),
    0n,
  );
  return { flows, amountIn };
}

function leastInput(
  network: Network,
  buyAmount: bigint,
  guess: bigint,
): readonly Flow[] | undefined {
  let enough: { readonly amountIn: bigint; readonly flows: readonly Flow[] } | undefined;
  let tooLittle = 0n;
  let amountIn = guess;
  for (let attempt = 0; attempt < 24; attempt++) {
    const pushed = push(network, amountIn);
    const amountOut = pushed.kind === 'filled' ? pushed.amountOut : 0n;
    if (pushed.kind === 'filled' && amountOut >= buyAmount) {
      enough = { amountIn, flows: pushed.flows };
    } else if (pushed.kind === 'exhausted') return enough?.flows;
    else tooLittle = amountIn;
    if (enough !== undefined && enough.amountIn - tooLittle <= 1n) return enough.flows;
    const price = amountOut > 0n ? Number(amountOut) / Number(amountIn) : 0;
    const change = price > 0 ? Number(buyAmount - amountOut) / price : Number(amountIn);
    let next = amountIn + (change >= 0 ? BigInt(Math.ceil(change)) : BigInt(Math.trunc(change)));
    if (next === amountIn) next += amountOut >= buyAmount ? -1n : 1n;
    if (next <= tooLittle) next = tooLittle + 1n;
    if (enough !== undefined && next >= enough.amountIn) next = enough.amountIn - 1n;
    amountIn = next;
  }
  return enough?.flows;
}
