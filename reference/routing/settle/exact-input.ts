import type { Support } from '../dual/acyclic-flow.ts';
import type { Network } from '../graph/network.ts';
import { throughHop } from '../paths/path-walk.ts';
import type { Search, Split, Supports } from '../search/search.ts';
import { structureAmount } from '../search/structure-amount.ts';
import type { Bill } from './bill.ts';
import { type Push, push } from './push.ts';

/** Up to this part of a trade, what whole numbers cost is let be. */
export const FINE = 2 ** -20;

/** How near to the bound a split comes, if floats can tell apart the prices at which so little leaves the pools. */
const NEAR = 1e-8;

/** So little of what there is drains no pool: where a split does, floats are not exact enough. */
const SMALL = 1e-6;

/** Returns the most that any plan buys for an amount. */
export function boundOf(supports: readonly Support[], amount: number): number {
  return Math.max(...supports.map(({ price, profit }) => profit + price * amount));
}

/** Tells whether what a split sells and buys is as near to the bound as such splits come; `times` as strict. */
export function isNear(
  { isProven, supports }: Split,
  amountIn: number,
  amountOut: number,
  times = 1,
): boolean {
  return !isProven || amountOut >= boundOf(supports(), amountIn) * (1 - NEAR / times);
}

/** What was settled, and lines above what any plan yields. */
export type Filled = Push & { readonly supports?: Supports };

/**
 * Returns the swaps that sell exactly `sellAmount` for the most once they are paid
 * for, or why none can. Where gas counts or too many swaps were needed, networks
 * of fewer compete with the split; where amounts are so small that rounding
 * outweighs splitting, or that floats do not see them move prices, single paths do.
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
  if (first.kind === 'exhausted' && amount > SMALL * search.depth) return first;
  const isFine =
    first.kind === 'filled' &&
    first.rounding <= FINE &&
    isNear(split, amount, Number(first.amountOut));
  const fewer = first.kind === 'filled' && bill.wantsFewer(first);
  const others = fewer ? search.frugal(input, bill.fees) : [];
  const whole = bestOf([first, ...others.map((network) => push(network, sellAmount))], bill);
  const least = whole ? Number(whole.amountOut - bill.costOf(whole.flows)) : 0;
  const singles = isFine ? [] : search.singles(input).filter((one) => mayGive(one, amount, least));
  const best = bestOf([whole, ...singles.map((network) => push(network, sellAmount))], bill);
  if (best === undefined) return first.kind === 'filled' ? { kind: 'exhausted' } : first;
  return { ...best, supports };
}

type Settled = Push & { readonly kind: 'filled' };

/** Returns what is best of what was settled, with its gas; of equals the first. */
function bestOf(pushed: readonly (Push | undefined)[], bill: Bill): Settled | undefined {
  return pushed
    .filter((each) => each?.kind === 'filled')
    .filter(bill.isAllowed)
    .reduce<Settled | undefined>(
      (most, other) => (most && !isBetter(most, other, bill) ? most : other),
      undefined,
    );
}

/** By how much floats may tell too little. */
const LOST = 1e-9;

/** Tells whether a single path may give so much: in floats, which no rounding lowers. */
function mayGive({ nodes }: Network, amount: number, least: number): boolean {
  const hops = nodes.flatMap((arcs) => arcs.map(({ hop }) => hop));
  const given = hops.reduce((carried, hop) => throughHop(hop, carried), amount);
  // That a pool takes less, it says itself.
  return given === 0 || given >= least * (1 - LOST);
}

function isBetter(best: Settled, other: Settled, { costOf }: Bill): boolean {
  const [most, net] = [best, other].map(({ amountOut, flows }) => amountOut - costOf(flows));
  return net === most ? other.flows.length < best.flows.length : (net ?? 0n) > (most ?? 0n);
}
