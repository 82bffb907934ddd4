import { lowerBoundFor } from '../dual/bound-lines.ts';
import type { Network } from '../graph/network.ts';
import type { BoundLines, Search, Split } from '../search/search.ts';
import { nextStructureAmount, structureAmount } from '../search/structure-amount.ts';
import { minInputFlows } from '../settle/min-input.ts';
import { type Pulled, pull } from '../settle/pull.ts';
import { withoutCoarseTokens } from './coarse-tokens.ts';
import { CAPACITY_MARGIN, isNearBound, MAX_FINE_ROUNDING } from './exact-input.ts';
import { cheapestOf, type PlanCosts } from './plan-costs.ts';

/** Stricter than for exact input, so that any network that competes there competes here too. */
const MAX_ROUNDING = MAX_FINE_ROUNDING / 2;
const MAX_GAP = 0.5e-8;

/** With a single split, purchases lose up to 2.6e-4 if cycles are profitable. */
const MAX_TRIED_SPLITS = 16;

/** Settled swaps that buy an output, and upper bounds on the yield of any plan. */
export type BoundedPurchase = Pulled & { readonly boundLines: BoundLines };

/**
 * Returns the swaps that buy exactly `buyAmount` for the smallest input, including their costs;
 * `undefined` if the pools hold less. Networks with fewer swaps compete if gas counts or the best
 * plan has too many swaps.
 */
export function fillExactOutput(
  search: Search,
  buyAmount: bigint,
  costs: PlanCosts,
): BoundedPurchase | undefined {
  const output = Number(buyAmount);
  if (output > search.capacityOut * (1 + CAPACITY_MARGIN)) return undefined;
  const minInput = search.inputFor(output);
  if (minInput === undefined) return undefined;
  const buy: Buyer = (network, input) => buyThrough(network, buyAmount, input);
  let whole: BoundedPurchase | undefined;
  let fewer: Pulled | undefined;
  for (const bought of bySplits(search, buyAmount, minInput, buy)) {
    whole = bought;
    if (!costs.wantsFewerSwaps(whole.flows)) continue;
    fewer ??= cheapestNetOfCosts(search, whole, buy, costs);
    // No plan sells less than the minimum input, and other splits have about as many swaps as this
    // split, so no other split can cost less than `minTotal`.
    const minTotal = BigInt(Math.floor(minInput)) + costs.costOf(whole.flows);
    if (fewer && fewer.amountIn + costs.costOf(fewer.flows) < minTotal) break;
  }
  const best = cheapest([whole, fewer], costs);
  return whole && best && { ...best, boundLines: whole.boundLines };
}

const INPUT_ERROR = 1e-9;
/**
 * While nothing can be bought, the input is multiplied by this factor to the power of the number of
 * splits tried.
 */
const REACH_FACTOR = 4;
/** Steps after which the bracket is halved, in case linear interpolation misleads. */
const SPLITS_PER_HALVING = 3;
/** Keeps the next input inside the bracket. */
const BELOW_ONE = 1 - 1e-15;

/**
 * Tries one split after another, and yields the cheapest result after each. The search looks for
 * the smallest input whose own split yields the output. Exact input uses the same split, so any
 * output of an exact input can be bought for the amount that it sold. No input below `minInput`
 * suffices, and an input above the cost of the best plan is useless. The search narrows the bracket
 * between these two.
 */
function* bySplits(
  search: Search,
  buyAmount: bigint,
  minInput: number,
  buy: Buyer,
): Generator<BoundedPurchase, void> {
  const structureOf = (input: number) => structureAmount(Math.max(1, input), search.depth);
  const nextOf = (input: number) => nextStructureAmount(input, search.depth);
  const output = Number(buyAmount);
  let best: Pulled | undefined;
  let tightest: Split | undefined;
  let low = structureOf(minInput * (1 - INPUT_ERROR));
  let high = Number.POSITIVE_INFINITY;
  let input = low;
  let under: Point | undefined;
  let over: Point | undefined;
  for (let splits = 0; splits < MAX_TRIED_SPLITS && low < high; splits++) {
    const split = search.split(input);
    const first = split?.network && buy(split.network, best ? Number(best.amountIn) : minInput);
    if (split && (!tightest || isTighter(split, tightest, output))) tightest = split;
    const isFine =
      split !== undefined &&
      first !== undefined &&
      first.rounding <= MAX_ROUNDING &&
      isNearBound(split, Number(first.amountIn), output, MAX_GAP);
    const singles = isFine || splits > 0 ? [] : search.cheapestPaths(buyAmount);
    const finer =
      split?.network && first && first.rounding > MAX_FINE_ROUNDING
        ? withoutCoarseTokens(split.network, first.flows)
        : [];
    const others = [...singles, ...finer].map((network) => buy(network, minInput));
    best = cheapest([best, first, ...others]);
    if (best === undefined) {
      // Floats cannot show how much an almost drained pool still holds.
      low = nextOf(input);
      input = structureOf(low * REACH_FACTOR ** splits);
      continue;
    }
    yield { ...best, boundLines: tightest?.boundLines ?? (() => []) };
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
    const halves = splits % SPLITS_PER_HALVING === SPLITS_PER_HALVING - 1;
    const crossing = halves ? undefined : crossingOf(under, over, output);
    const next = Math.min(crossing ?? Math.sqrt(low) * Math.sqrt(high), high * BELOW_ONE);
    input = Math.max(low, structureOf(next));
  }
}

/** A split's bound lines hold only for inputs up to slightly more than the split's own input. */
function isTighter(split: Split, other: Split, output: number): boolean {
  if (!split.isNearOptimal || !other.isNearOptimal) return false;
  return lowerBoundFor(split.boundLines(), output) > lowerBoundFor(other.boundLines(), output);
}

/**
 * Maximum number of searches for networks with fewer swaps. Each uses the input of the best plan so
 * far.
 */
const MAX_COST_ROUNDS = 2;

function cheapestNetOfCosts(
  search: Search,
  whole: Pulled,
  buy: Buyer,
  costs: PlanCosts,
): Pulled | undefined {
  const known: (Pulled | undefined)[] = [whole];
  let best: Pulled | undefined = whole;
  let before: number | undefined;
  for (let round = 0; round < MAX_COST_ROUNDS && best !== undefined; round++) {
    const input = structureAmount(Math.max(1, Number(best.amountIn)), search.depth);
    if (input === before) break;
    before = input;
    const networks = search.netOfCosts(input, costs.swapCosts);
    known.push(...networks.map((network) => buy(network, input)));
    best = cheapest(known, costs);
  }
  return best;
}

type Point = { readonly input: number; readonly output: number };

function crossingOf(
  under: Point | undefined,
  over: Point | undefined,
  output: number,
): number | undefined {
  if (under === undefined || over === undefined) return undefined;
  const part = (output - under.output) / (over.output - under.output);
  return part > 0 && part < 1 ? under.input + part * (over.input - under.input) : undefined;
}

/** Buys the output through a network that was found for about this input. */
type Buyer = (network: Network, input: number) => Pulled | undefined;

/**
 * Finds the smallest input that yields enough, then settles exactly that output from the buy token
 * back to the sell token.
 */
function buyThrough(network: Network, buyAmount: bigint, input: number): Pulled | undefined {
  const isPath = network.nodes.every((links) => links.length <= 1);
  if (isPath) return pull(network, new Map(), buyAmount);
  const guess = BigInt(Math.ceil(Math.max(1, input)));
  const settle = (savesWaste: boolean): Pulled | undefined => {
    const flows = minInputFlows(network, buyAmount, guess, savesWaste);
    const targets = flows && new Map(flows.map((flow) => [flow.link, flow.amountOut]));
    return targets && pull(network, targets, buyAmount);
  };
  const plain = settle(false);
  const isFine = plain === undefined || plain.rounding <= MAX_FINE_ROUNDING;
  return isFine ? plain : cheapest([plain, settle(true)]);
}

function cheapest(
  candidates: readonly (Pulled | undefined)[],
  costs?: Pick<PlanCosts, 'isAllowed' | 'costOf'>,
): Pulled | undefined {
  const allowed = candidates
    .filter((each) => each !== undefined)
    .filter(({ flows }) => costs?.isAllowed(flows) !== false);
  return cheapestOf(allowed, ({ amountIn, flows }) => amountIn + (costs?.costOf(flows) ?? 0n));
}
