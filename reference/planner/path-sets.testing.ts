import type { Address } from './domain/address.ts';
import type { SwapKind } from './graph/plan.ts';
import {
  directionsOf,
  nativeOf,
  type PoolDirection,
  swapExactInput,
  swapExactOutput,
} from './pools/families.ts';
import type { PoolMarket } from './prices/pool-market.ts';

type Path = readonly PoolDirection[];

const PART = 10n ** 12n;

/**
 * Returns the largest output of pool-disjoint paths for an exact input, or their smallest input for
 * an exact output; `undefined` if no paths exist. Tries all sets of paths and all splits. With
 * exact output, each path stays within the pools that one Universal Router command supports. Tests
 * use it as a second oracle next to the bound, for amounts of a few base units or parts. Shares
 * only the pools' math with the planner.
 */
export function bestByPaths(
  market: PoolMarket,
  [sellToken, buyToken]: readonly [Address, Address],
  swapKind: SwapKind,
  amount: bigint,
): bigint | undefined {
  const sells = swapKind === 'exact-input';
  const all = pathsFrom(market, sellToken, buyToken).filter((path) => sells || isOneCommand(path));
  const [whole, step] = sells ? [amount, 1n] : [amount / PART, PART];
  const worthOf = sells ? outputOfPath : inputOfPath;
  let best: bigint | undefined;
  const choose = (at: number, left: bigint, total: bigint, chosen: readonly Path[]): void => {
    if (left === 0n) {
      if (best === undefined || (sells ? total > best : total < best)) best = total;
      return;
    }
    const path = all[at];
    if (path === undefined) return;
    choose(at + 1, left, total, chosen);
    if (!fits(path, chosen)) return;
    for (let part = 1n; part <= left; part++) {
      const worth = worthOf(path, part * step);
      if (worth !== undefined) choose(at + 1, left - part, total + worth, [...chosen, path]);
    }
  };
  if (whole > 0n) choose(0, whole, 0n, []);
  return best === 0n ? undefined : best;
}

function pathsFrom(
  { pools }: PoolMarket,
  from: Address,
  to: Address,
  met: Path = [],
): readonly Path[] {
  if (from === to) return [met];
  return pools.flatMap(directionsOf).flatMap((direction) => {
    const isNew =
      direction.tokenIn === from && met.every(({ tokenIn }) => tokenIn !== direction.tokenOut);
    return isNew
      ? pathsFrom({ pools } as PoolMarket, direction.tokenOut, to, [...met, direction])
      : [];
  });
}

/**
 * Returns whether the path stays within one family, does not sell the native token, and does not
 * convert between the native token and its wrapped form.
 */
function isOneCommand(path: Path): boolean {
  const [first] = path;
  return path.every(({ pool, tokenIn }, at) => {
    const before = path[at - 1]?.pool ?? pool;
    const native = nativeOf(pool) === tokenIn;
    if (at === 0) return !native;
    return pool.family === first?.pool.family && native === (nativeOf(before) === tokenIn);
  });
}

function fits(path: Path, chosen: readonly Path[]): boolean {
  const taken = chosen.flat();
  if (path.some(({ pool }) => taken.some((other) => other.pool === pool))) return false;
  let left = [...taken, ...path];
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    left = left.filter(({ tokenOut }) => left.some(({ tokenIn }) => tokenIn === tokenOut));
  }
  return left.length === 0;
}

function outputOfPath(path: Path, amount: bigint): bigint | undefined {
  let carried = amount;
  for (const direction of path) {
    const { kind, amountOut } = swapExactInput(direction, carried);
    if (kind === 'exhausted' || amountOut === 0n) return undefined;
    carried = amountOut;
  }
  return carried;
}

function inputOfPath(path: Path, amount: bigint): bigint | undefined {
  let carried = amount;
  for (const direction of path.toReversed()) {
    const { kind, amountIn } = swapExactOutput(direction, carried);
    if (kind === 'exhausted') return undefined;
    carried = amountIn;
  }
  return carried;
}
