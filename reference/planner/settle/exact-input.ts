import type { Support } from '../dual/acyclic-flow.ts';
import { isSame } from '../graph/network.ts';
import type { Search, Single, Split, Supports } from '../search/search.ts';
import { structureAmount } from '../search/structure-amount.ts';
import type { Bill } from './bill.ts';
import { withoutCoarseTokens } from './coarse-tokens.ts';
import { type Push, push } from './push.ts';

/** Up to this part of a trade, what whole numbers cost is let be. */
export const FINE = 2 ** -20;

/** How near to the bound a split comes, if floats can tell apart the prices at which so little leaves the pools. */
const NEAR = 1e-8;

/** So little of what there is drains no pool: where a split does, floats are not exact enough. */
const SMALL = 1e-6;

/** Returns the most that any plan buys for an amount; infinite where that is not known. */
export function boundOf(supports: readonly Support[], amount: number): number {
  return Math.max(
    ...supports.map(({ price, profit, upTo }) =>
      amount <= upTo ? profit + price * amount : Number.POSITIVE_INFINITY,
    ),
  );
}

/** Returns the least that any plan sells for an output, as far as that is known. */
export function leastFor(supports: readonly Support[], output: number): number {
  return Math.max(
    0,
    Math.min(
      ...supports.map(({ price, profit, upTo }) => Math.min(upTo, (output - profit) / price)),
    ),
  );
}

/** Tells whether what a split sells and buys is as near to the bound as those that are meant to be come; `times` as strict. */
export function isNear(
  { isProven, supports }: Split,
  amountIn: number,
  amountOut: number,
  times = 1,
): boolean {
  return isProven && amountOut >= boundOf(supports(), amountIn) * (1 - NEAR / times);
}

/** What was settled, and lines above what any plan yields. */
export type Filled = Push & { readonly supports?: Supports };

/**
 * Returns the swaps that sell exactly `sellAmount` for the most once they are paid
 * for, or why none can. Where gas counts or too many swaps were needed, networks
 * of fewer compete with the split; where few base units of a token flow, networks
 * without it; where amounts are so small that rounding outweighs splitting, or that
 * floats do not see them move prices, single paths.
 */
export function fillExactInput(search: Search, sellAmount: bigint, bill: Bill): Filled {
  const amount = Number(sellAmount);
  if (amount > search.capacityIn * (1 + 1e-9)) return { kind: 'exhausted' };
  const input = structureAmount(amount, search.depth);
  const split = search.split(input);
  if (split === undefined) return { kind: 'dust' };
  const { network, output, supports } = split;
  // Output per input falls, so the bound of the lesser amount tells that of this one.
  if (network && output * (amount / input) < 1 - 1e-6) return { kind: 'dust' };
  const first: Push = network
    ? push(network, sellAmount)
    : { kind: output > 0 ? 'exhausted' : 'dust' };
  if (first.kind === 'exhausted' && split.isProven && amount > SMALL * search.depth) return first;
  const isFine =
    first.kind === 'filled' &&
    first.rounding <= FINE &&
    isNear(split, amount, Number(first.amountOut));
  const fewer = first.kind === 'filled' && bill.wantsFewer(first);
  const finer =
    network && first.kind === 'filled' && first.rounding > FINE
      ? withoutCoarseTokens(network, first.flows)
      : [];
  const others = [...(fewer ? search.frugal(input, bill.fees) : []), ...finer].filter(
    (other) => !network || !isSame(other, network),
  );
  const whole = bestOf([first, ...others.map((other) => push(other, sellAmount))], bill);
  const tried = network ? [network, ...others] : others;
  const singles = (
    isFine ? [] : search.singles(input, leastOf(whole, input / amount, bill))
  ).filter(
    (single) =>
      mayBetter(whole, single, amount / input, bill) &&
      !tried.some((known) => isSame(known, single.network)),
  );
  const best = bestOf([whole, ...singles.map((one) => push(one.network, sellAmount))], bill);
  if (best === undefined) return first.kind === 'filled' ? { kind: 'exhausted' } : first;
  return { ...best, supports: () => supportsAt(search, supports(), amount) };
}

/** The lines themselves, or those of the amount where they do not hold so far: far beyond `depth` one split serves many. */
function supportsAt(search: Search, supports: readonly Support[], amount: number) {
  const holds = supports.every(({ upTo }) => amount <= upTo);
  return holds ? supports : (search.split(amount)?.supports() ?? []);
}

type Settled = Push & { readonly kind: 'filled' };

/** Returns what is best of what was settled, with its gas; of equals the first. */
function bestOf(pushed: readonly (Push | undefined)[], bill: Bill): Settled | undefined {
  let best: Settled | undefined;
  for (const each of pushed) {
    if (each?.kind !== 'filled' || !bill.isAllowed(each)) continue;
    if (!best || isBetter(best, each, bill)) best = each;
  }
  return best;
}

/** By how much floats may tell too little: as part, and in base units of what gas costs. */
const LOST = 1e-9;
const LOST_COST = 1e-3;

/** What a path must give of this part of the input to be better: output per input falls, but for what whole numbers cost. */
function leastOf(best: Settled | undefined, part: number, { costOf }: Bill): number {
  if (best === undefined) return 0;
  return Number(best.amountOut - costOf(best.flows)) * part * (1 - LOST - 2 * best.rounding);
}

/**
 * Tells whether a single path may be better for `times` the input that it was looked for: in floats, which
 * no rounding lowers, since output per input falls and no swap takes less gas than the least.
 */
function mayBetter(
  best: Settled | undefined,
  { hops, output }: Single,
  times: number,
  { costOf, leastCostOf }: Bill,
): boolean {
  // That a pool takes less, it says itself.
  if (best === undefined || output === 0) return true;
  const least = Number(best.amountOut - costOf(best.flows));
  const given = Math.floor(output * times * (1 + LOST));
  if (given < least) return false;
  const net = given - Math.ceil(leastCostOf(hops) - LOST_COST);
  return net > least || (net === least && hops.length < best.flows.length);
}

function isBetter(best: Settled, other: Settled, { costOf }: Bill): boolean {
  const most = best.amountOut - costOf(best.flows);
  const net = other.amountOut - costOf(other.flows);
  return net === most ? other.flows.length < best.flows.length : net > most;
}
