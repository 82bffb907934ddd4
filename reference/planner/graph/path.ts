import type { Hop } from './hop.ts';

/** A way from the sell token to the buy token, through each token and each pool once. */
export type Path = {
  readonly hops: readonly Hop[];
  /** Natural logarithm of output per input of an infinitesimal trade. */
  readonly logPrice: number;
};

/** Returns the hops as a path; `undefined` if there are none. */
export function pathOfHops(hops: readonly Hop[] | undefined): Path | undefined {
  if (hops === undefined || hops.length === 0) return undefined;
  return { hops, logPrice: hops.reduce((sum, { logPrice }) => sum + logPrice, 0) };
}
