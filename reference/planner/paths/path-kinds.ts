import type { Hop } from '../graph/hop.ts';
import type { Path } from '../graph/path.ts';
import { hopsBetween, type Pair } from '../graph/pool-graph.ts';
import { nativeOf } from '../pools/families.ts';

/**
 * What hops may make up a path: if asked, those of one family, and not both of pools that trade native
 * and of such as trade the wrapped native token itself; nor is native what the seller pays.
 */
export function kindsOf(
  { hops, sellToken }: Pair,
  isOneFamily: boolean,
): ((hop: Hop) => boolean)[] {
  if (!isOneFamily) return [() => true];
  const wrapped = hops.map(({ pool }) => nativeOf(pool)).find((token) => token !== undefined);
  const families = [...new Set(hops.map(({ pool }) => pool.family))];
  return families.flatMap((family) => {
    const isOf = ({ pool }: Hop) => pool.family === family;
    const isNative = ({ pool }: Hop) => nativeOf(pool) !== undefined;
    const trades = ({ tokenIn, tokenOut }: Hop) => tokenIn === wrapped || tokenOut === wrapped;
    const isPaid = ({ tokenIn }: Hop) => tokenIn === wrapped && tokenIn === sellToken;
    const plain = (hop: Hop) => isOf(hop) && !isNative(hop);
    if (!hops.some((hop) => isOf(hop) && isNative(hop))) return [plain];
    return [plain, (hop: Hop) => isOf(hop) && (isNative(hop) ? !isPaid(hop) : !trades(hop))];
  });
}

/** Tells whether hops may make up a path together. */
export function areOfOneKind(pair: Pair, path: Path): boolean {
  return kindsOf(pair, true).some((isOf) => path.hops.every(isOf));
}

/** Tells whether some path joins the tokens of a pair, through pools of one kind if asked. */
export function hasPath(pair: Pair, isOneFamily: boolean): boolean {
  return kindsOf(pair, isOneFamily).some(
    (isOf) => hopsBetween(pair.hops.filter(isOf), pair).length > 0,
  );
}
