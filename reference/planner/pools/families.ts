import type { Static, TUnsafe } from '../../../conformance/contract/schema.ts';
import type { Address } from '../domain/address.ts';
import { concentrated } from './concentrated.ts';
import { constantProduct } from './constant-product.ts';
import type { PoolFamily, SwapCurve } from './family.ts';
import { type MakerOrderPool, makerOrder } from './maker-order.ts';
import { type SwapOutcome, tokensOf } from './pool.ts';
import { singleton } from './singleton.ts';
import { stable } from './stable.ts';
import { weighted } from './weighted.ts';

/** The pool families that market files may contain. */
export const FAMILIES = {
  'constant-product': constantProduct,
  concentrated,
  singleton,
  stable,
  weighted,
};

/** A market maker's orders are requested for each trade, so no file contains them. */
const ALL = { ...FAMILIES, 'maker-order': makerOrder };

export type FamilyName = keyof typeof ALL;
/** A pool family that market files may contain. */
export type FileFamilyName = keyof typeof FAMILIES;

/** A pool of any family, in its state at one block. */
export type Pool =
  | { [Name in FileFamilyName]: ReturnType<(typeof FAMILIES)[Name]['parse']> }[FileFamilyName]
  | MakerOrderPool;

/** A pool as market files store it: amounts are decimal strings, and addresses are lower-case. */
export type FilePool = {
  [Name in FileFamilyName]: Static<(typeof FAMILIES)[Name]['schema']>;
}[FileFamilyName];

/** One direction of a pool. */
export type PoolDirection = {
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
};

/** Returns the wrapped native token if the pool trades the native token. */
export function nativeOf(pool: Pool): Address | undefined {
  return 'isNative' in pool && pool.isNative ? pool.token0 : undefined;
}

/** Returns every direction of a pool: from each of its tokens to every other token. */
export function directionsOf(pool: Pool): readonly PoolDirection[] {
  const tokens = tokensOf(pool);
  return tokens.flatMap((tokenIn) =>
    tokens
      .filter((tokenOut) => tokenOut !== tokenIn)
      .map((tokenOut) => ({ pool, tokenIn, tokenOut })),
  );
}

/** Returns the descriptor of a pool's family. */
export function familyOf({
  family,
}: {
  readonly family: FamilyName;
}): PoolFamily<Pool, TUnsafe<FilePool>> {
  return ALL[family] as unknown as PoolFamily<Pool, TUnsafe<FilePool>>;
}

/**
 * Returns the curve of a direction. The curve memoizes intermediate results, so reuse it to swap
 * several amounts.
 */
export function curveOf({ pool, tokenIn, tokenOut }: PoolDirection): SwapCurve {
  return familyOf(pool).curve(pool, tokenIn, tokenOut);
}

/** Returns the swap that sells exactly `amountIn` > 0 of `tokenIn`. Its output is rounded down. */
export function swapExactInput(direction: PoolDirection, amountIn: bigint): SwapOutcome {
  return curveOf(direction).swapExactInput(amountIn);
}

/** Returns the swap that buys exactly `amountOut` > 0. Its input is rounded up. */
export function swapExactOutput(direction: PoolDirection, amountOut: bigint): SwapOutcome {
  return curveOf(direction).swapExactOutput(amountOut);
}
