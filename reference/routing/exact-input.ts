import { type Push, push } from './push.ts';
import type { Search, Supports } from './search.ts';
import { structureAmount } from './structure-amount.ts';

/** Up to this part of a trade, what whole numbers cost is let be. */
export const FINE = 2 ** -20;

/** What was settled, and lines above what any plan yields. */
export type Filled = Push & { readonly supports?: Supports };

/**
 * Returns the swaps that sell exactly `sellAmount` for the most, or why none
 * can. Where amounts are so small that rounding outweighs splitting, single
 * paths compete with the split.
 */
export function fillExactInput(search: Search, sellAmount: bigint): Filled {
  const amount = Number(sellAmount);
  if (amount > search.capacityIn * (1 + 1e-9)) return { kind: 'exhausted' };
  const input = structureAmount(amount, search.depth);
  const split = search.split(input);
  if (split === undefined) return { kind: 'dust' };
  if (split.kind === 'exhausted') return split;
  // Output per input falls, so the bound of the lesser amount tells that of this one.
  if (split.output * (amount / input) < 1 - 1e-6) return { kind: 'dust' };
  const { supports } = split;
  const first = push(split.network, sellAmount);
  if (first.kind === 'exhausted') return first;
  if (first.kind === 'filled' && first.rounding <= FINE) return { ...first, supports };
  const others = search.singles(input).map((network) => push(network, sellAmount));
  return { ...others.reduce(better, first), supports };
}

function better(best: Push, other: Push): Push {
  if (other.kind !== 'filled') return best;
  if (best.kind !== 'filled') return other;
  if (other.amountOut !== best.amountOut) return other.amountOut > best.amountOut ? other : best;
  return other.flows.length < best.flows.length ? other : best;
}
