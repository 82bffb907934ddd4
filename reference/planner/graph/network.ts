import type { SwapOutcome } from '../pools/pool.ts';
import type { Arc } from './arc.ts';
import type { PlanSwap } from './plan.ts';

/** An arc of a network, with its share of its start node's inflow. */
export type Link = {
  readonly arc: Arc;
  /** Index of the node at the arc's end. It exceeds the index of the start node. */
  readonly to: number;
  /** Share relative to the weights of the node's other links. Above 0. */
  readonly weight: bigint;
  /**
   * Fixed input that does not depend on the inflow, because the arc's rate lies between two
   * segments or the pool is full.
   */
  readonly fixed?: bigint;
};

/**
 * The pools of a trade and the split among them, as an acyclic graph. `nodes[i]` lists the links
 * that leave node `i`. Node 0 is the sell token, and the last node is the buy token. Any other node
 * is a token, or one path's copy of a token.
 */
export type Network = {
  readonly nodes: readonly (readonly Link[])[];
};

/** Returns whether two networks split every amount identically. */
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

/**
 * Minimum share of a trade that is worth a swap, since a swap gains at most the square of its
 * share.
 */
export const MIN_SHARE = 1e-6;

/** A settled swap, and the link that it settles. */
export type Flow = PlanSwap & { readonly link: Link };

export function flowOf(link: Link, { amountIn, amountOut }: SwapOutcome): Flow {
  const { pool, tokenIn, tokenOut } = link.arc;
  return { link, pool, tokenIn, tokenOut, amountIn, amountOut };
}

/**
 * Returns the summed value of one base unit on each side of a swap, relative to the trade. `share`
 * is the fraction of the trade that passes through the swap.
 */
export function roundingOf({ amountIn, amountOut }: Flow, share: number): number {
  return share / Number(amountIn) + share / Number(amountOut);
}
