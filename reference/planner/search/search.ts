import type { BoundLine } from '../dual/bound-lines.ts';
import type { Arc } from '../graph/arc.ts';
import type { Network } from '../graph/network.ts';
import type { SwapGas } from '../graph/plan.ts';

/** Returns lines by input; empty if no bound is known. The highest line is an upper bound on any plan's yield. */
export type BoundLines = () => readonly BoundLine[];

/** A split of an input. */
export type Split = {
  /** Unset if pools on the way take less than the input. */
  readonly network?: Network;
  /** Yield as a float, never below the yield in whole numbers; 0 if no split was found. */
  readonly output: number;
  /** True if the split should be near the upper bound. If it is not, other networks compete. */
  readonly isNearOptimal: boolean;
  readonly boundLines: BoundLines;
};

/** A single path, with its yield for the whole input as a float; 0 if it takes less. */
export type SinglePath = {
  readonly arcs: readonly Arc[];
  readonly network: Network;
  readonly output: number;
};

/** Costs of swaps, and the maximum number of swaps. */
export type SwapCosts = {
  /** Base units of the buy token per unit of gas; 0 ignores gas. */
  readonly perGas: number;
  readonly swapGas: SwapGas;
  readonly maxSwaps: number;
};

/** Finds networks for a token pair under one topology. Amounts are base units, as floats. */
export type Search = {
  /** Total amounts that the pair's first pools can take and its last pools can give. */
  readonly capacityIn: number;
  readonly capacityOut: number;
  /** Output per input of an infinitesimal trade along the best path. */
  readonly bestRate: number;
  /** Input that buys `capacityOut` at `bestRate`. */
  readonly depth: number;
  /** Returns the best split of an input, independently of earlier requests. */
  readonly split: (input: number) => Split | undefined;
  /** Returns about the smallest input whose best split yields `output`; `undefined` if there is none. */
  readonly inputFor: (output: number) => number | undefined;
  /** Returns the best single paths for an input, except those that yield at most `worthOver`. */
  readonly singlePaths: (input: number, worthOver: number) => SinglePath[];
  /** Returns the single paths that buy an output for the smallest input. */
  readonly cheapestPaths: (output: bigint) => Network[];
  /** Returns candidate networks, which include the best one found net of the swaps' costs. */
  readonly netOfCosts: (input: number, costs: SwapCosts) => Network[];
};
