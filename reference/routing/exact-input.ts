import { isCoarse, type Network, type Push, push } from './network.ts';
import type { Search } from './search.ts';

/**
 * Returns the swaps that sell exactly `sellAmount` for the most, or why none
 * can. Where amounts are so small that rounding outweighs splitting, single
 * paths compete with the split.
 */
export function fillExactInput(search: Search, sellAmount: bigint): Push {
  if (Number(sellAmount) > search.capacityIn * (1 + 1e-9)) return { kind: 'exhausted' };
  const input = structureAmount(sellAmount);
  const through = (network: Network) => push(network, sellAmount);
  const split = search.split(input);
  const first: Push = split === undefined ? { kind: 'dust' } : through(split.network);
  if (first.kind === 'filled' && !isCoarse(first.flows)) return first;
  const others = [...search.singles(input), ...search.spares(input)];
  return others.map(through).reduce(better, first);
}

function better(best: Push, other: Push): Push {
  if (other.kind !== 'filled') return best.kind === 'dust' ? other : best;
  if (best.kind !== 'filled') return other;
  if (other.amountOut !== best.amountOut) return other.amountOut > best.amountOut ? other : best;
  return other.flows.length < best.flows.length ? other : best;
}

/** Significant bits of the amount for which a split is worked out. */
const STRUCTURE_BITS = 20;

/**
 * Returns the amount whose optimal split serves `amount` too: rounded to 20
 * significant bits. Amounts closer than that share one network, so that plans
 * for nearly equal amounts differ by nearly nothing; away from the optimum by a
 * millionth, a split loses its square.
 */
export function structureAmount(amount: bigint | number): number {
  const value = Number(amount);
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(value)) - STRUCTURE_BITS + 1);
  return Math.max(1, Math.round(value / unit)) * unit;
}
