import type { SwapOutcome } from '../pools/pool.ts';
import type { Hop } from './hop.ts';
import type { PlanSwap } from './plan.ts';

/** A hop of a network: it shares with the node's other arcs what flows into the node. */
export type Arc = {
  readonly hop: Hop;
  /** Index of the node that the hop leads to; above that of the node it leaves. */
  readonly to: number;
  /** Part in proportion to the others'. Above 0. */
  readonly weight: bigint;
  /** What the pool takes first, whatever flows: its price then stands between two ranges, or it is full. */
  readonly fixed?: bigint;
};

/**
 * Which pools a trade uses and how it splits: an acyclic graph. `nodes[i]` are
 * the arcs that leave node `i`; node 0 is the sell token, the last the buy token.
 * A node is a token, or the token as one path holds it.
 */
export type Network = {
  readonly nodes: readonly (readonly Arc[])[];
};

/** Tells whether two networks do alike with any amount. */
export function isSame({ nodes }: Network, other: Network): boolean {
  return (
    nodes.length === other.nodes.length &&
    nodes.every((arcs, node) => {
      const others = other.nodes[node] ?? [];
      if (arcs.length !== others.length) return false;
      return arcs.every(({ hop, to, weight, fixed }, at) => {
        const arc = others[at];
        const isAlone = arcs.length === 1;
        if (arc?.hop !== hop || arc.to !== to) return false;
        return isAlone || (arc.weight === weight && arc.fixed === fixed);
      });
    })
  );
}

/** A part of a trade below this is not worth a swap: it gains less than its square. */
export const LEAST_PART = 1e-6;

/** A swap at its place in a network. */
export type Flow = PlanSwap & { readonly arc: Arc };

/** Returns the swap that an arc's pool has made. */
export function flowOf(arc: Arc, { amountIn, amountOut }: SwapOutcome): Flow {
  const { pool, tokenIn, tokenOut } = arc.hop;
  return { arc, pool, tokenIn, tokenOut, amountIn, amountOut };
}

/** Returns what one base unit of either side of a swap is of the whole trade, of which `share` goes through the swap. */
export function roundingOf({ amountIn, amountOut }: Flow, share: number): number {
  return share / Number(amountIn) + share / Number(amountOut);
}
