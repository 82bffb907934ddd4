import { arcsBetween, type FlowProblem } from '../dual/flow-problem.ts';
import type { Arc } from '../graph/arc.ts';
import { nativeOf } from '../pools/families.ts';
import type { Path } from './path.ts';

/** Returns whether a path of a kind may contain an arc. */
export type PathKind = (arc: Arc) => boolean;

/**
 * Returns the kinds of paths that a router can settle. Normally, one kind contains all arcs. If a
 * path must stay within one family, each family has one or two kinds: pools that trade the native
 * token do not mix with pools that trade its wrapped form, and no path sells the native token.
 */
export function pathKindsOf({ arcs, subgraph }: FlowProblem, isOneFamily: boolean): PathKind[] {
  if (!isOneFamily) return [() => true];
  const wrapped = arcs.map(({ pool }) => nativeOf(pool)).find((token) => token !== undefined);
  const families = [...new Set(arcs.map(({ pool }) => pool.family))];
  return families.flatMap((family) => {
    const isOf = ({ pool }: Arc) => pool.family === family;
    const isNative = ({ pool }: Arc) => nativeOf(pool) !== undefined;
    const tradesWrapped = ({ tokenIn, tokenOut }: Arc) =>
      tokenIn === wrapped || tokenOut === wrapped;
    const sellsNative = ({ tokenIn, tail }: Arc) => tokenIn === wrapped && tail === subgraph.sell;
    const plain = (arc: Arc) => isOf(arc) && !isNative(arc);
    if (!arcs.some((arc) => isOf(arc) && isNative(arc))) return [plain];
    const native = (arc: Arc) =>
      isOf(arc) && (isNative(arc) ? !sellsNative(arc) : !tradesWrapped(arc));
    return [plain, native];
  });
}

/**
 * Returns whether all arcs of a path are of the same kind when paths must stay within one family.
 */
export function isOfOneKind(problem: FlowProblem, path: Path): boolean {
  return pathKindsOf(problem, true).some((isOf) => path.arcs.every(isOf));
}

/** Returns whether a path of a permitted kind connects the two tokens. */
export function hasPath(problem: FlowProblem, isOneFamily: boolean): boolean {
  return pathKindsOf(problem, isOneFamily).some(
    (isOf) => arcsBetween(problem, problem.arcs.filter(isOf)).length > 0,
  );
}
