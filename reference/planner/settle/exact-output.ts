import type { Network } from '../graph/network.ts';
import type { Search, Split, Supports } from '../search/search.ts';
import { nextStructureAmount, structureAmount } from '../search/structure-amount.ts';
import type { Bill } from './bill.ts';
import { withoutCoarseTokens } from './coarse-tokens.ts';
import { FINE, isNear, leastFor } from './exact-input.ts';
import { leastInputFlows } from './least-input.ts';
import { type Pulled, pull } from './pull.ts';

/** How much stricter this is than exact input, so that what competes there does so here. */
const STRICT = 2;

/** How many splits are tried before the best so far is taken. */
const MAX_SPLITS = 16;

/** What was settled, and lines above what any plan yields. */
export type Bought = Pulled & { readonly supports: Supports };

/**
 * Returns the swaps that buy exactly `buyAmount` for the least; `undefined` if
 * the pools do not hold it. Where gas counts or too many swaps are needed,
 * networks of fewer compete.
 */
export function fillExactOutput(search: Search, buyAmount: bigint, bill: Bill): Bought | undefined {
  const output = Number(buyAmount);
  if (output > search.capacityOut * (1 + 1e-9)) return undefined;
  const least = search.inputFor(output);
  if (least === undefined) return undefined;
  const buy = buyer(buyAmount);
  let whole: Bought | undefined;
  let fewer: Pulled | undefined;
  for (const bought of bySplits(search, buyAmount, least, buy)) {
    whole = bought;
    if (!bill.wantsFewer(whole)) continue;
    fewer ??= netOfGas(search, whole, buy, bill);
    // No split sells less than the least, and they are about as many swaps.
    const leastInAll = BigInt(Math.floor(least)) + bill.costOf(whole.flows);
    if (fewer && fewer.amountIn + bill.costOf(fewer.flows) < leastInAll) break;
  }
  const best = cheapest([whole, fewer], bill);
  return whole && best && { ...best, supports: whole.supports };
}

/**
 * Buys by one split after another, and returns the cheapest so far each time.
 *
 * Looks for the least input whose own split, that which exact input would use,
 * yields what is wanted: so what exact input returned can be bought for what it
 * sold. No less input can do than `least`, that of the best split in floats; more
 * than the best plan so far costs is of no use; what lies between is halved.
 */
function* bySplits(
  search: Search,
  buyAmount: bigint,
  least: number,
  buy: Buyer,
): Generator<Bought, void> {
  const structureOf = (input: number) => structureAmount(Math.max(1, input), search.depth);
  const nextOf = (input: number) => nextStructureAmount(input, search.depth);
  const output = Number(buyAmount);
  let best: Pulled | undefined;
  let told: Split | undefined;
  let low = structureOf(least * (1 - 1e-9));
  let high = Number.POSITIVE_INFINITY;
  let input = low;
  let under: Point | undefined;
  let over: Point | undefined;
  for (let splits = 0; splits < MAX_SPLITS && low < high; splits++) {
    const split = search.split(input);
    const first = split?.network && buy(split.network, best ? Number(best.amountIn) : least);
    if (split && (!told || tellsMore(split, told, output))) told = split;
    const isFine =
      split !== undefined &&
      first !== undefined &&
      first.rounding <= FINE / STRICT &&
      isNear(split, Number(first.amountIn), output, STRICT);
    const singles =
      isFine || splits > 0 ? [] : search.cheapest(buyAmount).map((one) => buy(one, least));
    const finer =
      split?.network && first && first.rounding > FINE
        ? withoutCoarseTokens(split.network, first.flows).map((one) => buy(one, least))
        : [];
    best = cheapest([best, first, ...singles, ...finer]);
    if (best === undefined) {
      // Floats cannot tell what so drained pools still give: reach out.
      low = nextOf(input);
      input = structureOf(low * 4 ** splits);
      continue;
    }
    yield { ...best, supports: told?.supports ?? (() => []) };
    const cost = Number(best.amountIn);
    const point = { input, output: (split?.network && split.output) ?? 0 };
    if (cost < nextOf(input)) {
      high = input;
      over = point;
    } else {
      low = nextOf(input);
      high = Math.min(high, nextOf(structureOf(cost)));
      under = point;
    }
    // Every third step halves, in case the line between two points misleads.
    const crossing = splits % 3 === 2 ? undefined : crossingOf(under, over, output);
    const next = Math.min(crossing ?? Math.sqrt(low) * Math.sqrt(high), high * (1 - 1e-15));
    input = Math.max(low, structureOf(next));
  }
}

/** Whether the lines of a split prove a higher cost than those of another: they hold for little more than its input. */
function tellsMore(split: Split, other: Split, output: number): boolean {
  if (!split.isProven || !other.isProven) return false;
  return leastFor(split.supports(), output) > leastFor(other.supports(), output);
}

/** How often networks of fewer swaps are looked for, each time for what the best before sells. */
const MAX_FRUGAL = 2;

/** Returns what is cheapest with its gas, of what is cheapest without and of networks of fewer swaps. */
function netOfGas(search: Search, whole: Pulled, buy: Buyer, bill: Bill): Pulled | undefined {
  const known: (Pulled | undefined)[] = [whole];
  let best: Pulled | undefined = whole;
  let before: number | undefined;
  for (let round = 0; round < MAX_FRUGAL && best !== undefined; round++) {
    const input = structureAmount(Math.max(1, Number(best.amountIn)), search.depth);
    if (input === before) break;
    before = input;
    known.push(...search.frugal(input, bill.fees).map((network) => buy(network, input)));
    best = cheapest(known, bill);
  }
  return best;
}

/** What the best split of an input yields. */
type Point = { readonly input: number; readonly output: number };

/** Where the line through two points meets an output; none if it is not between them. */
function crossingOf(
  under: Point | undefined,
  over: Point | undefined,
  output: number,
): number | undefined {
  if (under === undefined || over === undefined) return undefined;
  const part = (output - under.output) / (over.output - under.output);
  return part > 0 && part < 1 ? under.input + part * (over.input - under.input) : undefined;
}

/** Buys through a network that is made for about so much input. */
type Buyer = (network: Network, guess: number) => Pulled | undefined;

/** Returns what buys through a network, each once. */
function buyer(buyAmount: bigint): Buyer {
  const bought = new Map<Network, Pulled | undefined>();
  return (network, guess) => {
    if (!bought.has(network)) bought.set(network, buyThrough(network, buyAmount, guess));
    return bought.get(network);
  };
}

/** Finds the least input that yields enough through the network, then buys exactly that much back to front. */
function buyThrough(network: Network, buyAmount: bigint, guess: number): Pulled | undefined {
  if (network.nodes.every((arcs) => arcs.length <= 1)) return pull(network, new Map(), buyAmount);
  const from = BigInt(Math.ceil(Math.max(1, guess)));
  const settle = (spares: boolean): Pulled | undefined => {
    const flows = leastInputFlows(network, buyAmount, from, spares);
    return (
      flows && pull(network, new Map(flows.map((flow) => [flow.arc, flow.amountOut])), buyAmount)
    );
  };
  const plain = settle(false);
  return plain === undefined || plain.rounding <= FINE ? plain : cheapest([plain, settle(true)]);
}

function cheapest(
  candidates: readonly (Pulled | undefined)[],
  { isAllowed, costOf }: Pick<Bill, 'isAllowed' | 'costOf'> = ANY,
): Pulled | undefined {
  const totalOf = ({ amountIn, flows }: Pulled) => amountIn + costOf(flows);
  return candidates
    .filter((pulled) => pulled !== undefined && isAllowed(pulled))
    .reduce<Pulled | undefined>((best, other) => {
      if (best === undefined || other === undefined) return other;
      const [least, total] = [totalOf(best), totalOf(other)];
      const isCheaper = total === least ? other.flows.length < best.flows.length : total < least;
      return isCheaper ? other : best;
    }, undefined);
}

const ANY = { isAllowed: () => true, costOf: () => 0n };
