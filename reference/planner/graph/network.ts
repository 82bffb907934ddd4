import type { SwapOutcome } from '../pools/pool.ts';
import type { Arc } from './arc.ts';
import type { PlanSwap } from './plan.ts';

/** An arc of a network, and its share of the inflow of its start node. */
export type Link = {
  readonly arc: Arc;
  /** Index of the node at the arc's end; greater than the index of its start node. */
  readonly to: number;
  /** Share relative to the node's other links, above 0. */
  readonly weight: bigint;
  /** Fixed input, regardless of the inflow: the arc's rate is between two segments, or the pool is full. */
  readonly fixed?: bigint;
};

/**
 * The pools of a trade and its split, as an acyclic graph. `nodes[i]` are the links that leave node `i`; node 0 is the
 * sell token, the last node the buy token. Each other node is a token, or a token on one path only.
 */
export type Network = {
  readonly nodes: readonly (readonly Link[])[];
};

/** Returns whether two networks split every amount in the same way. */
export function isSame({ nodes }: Network, other: Network): boolean {
  return (
    nodes.length === other.nodes.length &&
    nodes.every((links, node) => {
      const others = other.nodes[node] ?? [];
      if (links.length !== others.length) return false;
      return links.every(({ arc, to, weight, fixed }, at) => {
        const link = others[at];
        if (link?.arc !== arc || link.to !== to) return false;
        return links.length === 1 || (link.weight === weight && link.fixed === fixed);
      });
    })
  );
}

/** Minimum share of a trade that is worth a swap: a swap gains at most the square of its share of the trade. */
export const MIN_SHARE = 1e-6;

/** A settled swap with its link of a network. */
export type Flow = PlanSwap & { readonly link: Link };

export function flowOf(link: Link, { amountIn, amountOut }: SwapOutcome): Flow {
  const { pool, tokenIn, tokenOut } = link.arc;
  return { link, pool, tokenIn, tokenOut, amountIn, amountOut };
}

/**
 * Returns the value of one base unit on either side of a swap, relative to the trade. `share` of the trade passes
 * through the swap.
 */
export function roundingOf({ amountIn, amountOut }: Flow, share: number): number {
  return share / Number(amountIn) + share / Number(amountOut);
}
