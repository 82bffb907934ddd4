import type { Arc } from '../graph/arc.ts';
import { curveThrough, type PathCurve } from './path-curve.ts';

/** A path from the sell token to the buy token through distinct tokens and pools. */
export class Path {
  /** Never empty. */
  readonly arcs: readonly Arc[];
  /** Natural logarithm of the marginal rate (output per input) before the trade. */
  readonly logRate: number;
  #curve: PathCurve | undefined;

  constructor(arcs: readonly Arc[]) {
    this.arcs = arcs;
    this.logRate = arcs.reduce((sum, { logRate }) => sum + logRate, 0);
  }

  get curve(): PathCurve {
    this.#curve ??= curveThrough(this.arcs);
    return this.#curve;
  }
}
