import type { BoundLine } from '../dual/bound-lines.ts';
import type { Arc } from '../graph/arc.ts';
import type { Network } from '../graph/network.ts';
import type { SwapGas } from '../graph/plan.ts';

/**
 * Returns bounds on any plan's yield as lines over the input; empty if no bound is known. The
 * highest line at an input is the bound there.
 */
export type BoundLines = () => readonly BoundLine[];

/** A split of an input. */
export type Split = {
  /** Unset if some pools of the split take less than the input. */
  readonly network?: Network;
  /** Yield as a float, never below the yield in whole numbers; 0 if no split was found. */
  readonly output: number;
  /**
   * True if the split should be close to the upper bound. If it turns out not to be, other networks
   * compete.
   */
  readonly isNearOptimal: boolean;
  readonly boundLines: BoundLines;
};

/** A single path. `output` is its float yield for the whole input, or 0 if it takes less. */
export type SinglePath = {
  readonly arcs: readonly Arc[];
  readonly network: Network;
  readonly output: number;
};

/** Cost of swaps, and the maximum number of swaps. */
export type SwapCosts = {
  /** Base units of the buy token per unit of gas; 0 ignores gas. */
  readonly perGas: number;
  readonly swapGas: SwapGas;
  readonly maxSwaps: number;
};

/** Finds networks for a token pair under one topology. Amounts are floats in base units. */
export type Search = {
  /**
   * Maximum total input of the arcs that leave the sell token, and maximum total output of the arcs
   * that enter the buy token.
   */
  readonly capacityIn: number;
  readonly capacityOut: number;
  /** Output per input along the best path, before the trade. */
  readonly bestRate: number;
  /** Input that buys `capacityOut` at `bestRate`. */
  readonly depth: number;
  /** Returns the best split of an input, independent of earlier requests. */
  readonly split: (input: number) => Split | undefined;
  /**
   * Returns approximately the smallest input whose best split yields `output`; `undefined` if none
   * exists.
   */
  readonly inputFor: (output: number) => number | undefined;
  /** Returns the best single paths for an input, except those that yield at most `worthOver`. */
  readonly singlePaths: (input: number, worthOver: number) => SinglePath[];
  /** Returns the single paths that buy an output for the smallest input. */
  readonly cheapestPaths: (output: bigint) => Network[];
  /** Returns candidate networks, which include the best one found net of the swaps' costs. */
  readonly netOfCosts: (input: number, costs: SwapCosts) => Network[];
};
