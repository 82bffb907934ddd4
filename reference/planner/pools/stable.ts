import type { Static } from '../../../conformance/contract/schema.ts';
import type { LiveReads, PoolFamily } from './family.ts';
import type { SmoothCurve } from './fit-segments.ts';
import { divUp } from './full-math.ts';
import { unsigned } from './pool-schema.ts';
import { type VaultPool, type VaultSwap, vaultMath } from './vault-pool.ts';
import { parseVaultPool, vaultLive, vaultSchema } from './vault-pool-file.ts';

/**
 * A Balancer V2 stable pool of two to four tokens. Near balance, the tokens trade at about one for
 * one.
 */
export type StablePool = VaultPool & {
  readonly family: 'stable';
  /** Amplification in thousandths. */
  readonly amplification: bigint;
};

const MAX_STABLE_TOKENS = 4;
const AMP_PRECISION = 1000n;
const MAX_UINT256 = (1n << 256n) - 1n;

const schema = vaultSchema('stable', MAX_STABLE_TOKENS, { amplification: unsigned });

const live: LiveReads<Static<typeof schema>> = vaultLive('stable', {
  own: [
    {
      view: 'function getAmplificationParameter() view returns (uint256 value, bool isUpdating, uint256 precision)',
    },
  ],
  ownFile: ([amplification]) => ({ amplification: `${(amplification as readonly [bigint])[0]}` }),
}) as LiveReads<Static<typeof schema>>;

/**
 * Balancer V2's `StablePool`, the first version. The invariant `D` solves `A n S + D = A n D +
 * D^(n+1) / (n^n P)`, and the amplification is `A n^(n-1)`. Newton's method in whole numbers finds
 * both the invariant and a balance, with each step rounded as in the contract. Far from balance the
 * contract loses precision, so a swap of more than `MAX_POOLS_SOLD` times the pool's holdings
 * counts as exhausted. Beyond that amount, more input yields almost nothing.
 * @see
 * https://github.com/balancer/balancer-v2-monorepo/blob/master/pkg/pool-stable/contracts/StableMath.sol
 */
export const stable = {
  ...vaultMath<StablePool>({
    open(swap) {
      const { pool, balances, indexIn, indexOut } = swap;
      const [heldIn, heldOut] = [balances[indexIn] ?? 0n, balances[indexOut] ?? 0n];
      const maxIn = MAX_POOLS_SOLD * balances.reduce((sum, balance) => sum + balance, 0n);
      const invariant = invariantOf(pool, balances);
      if (invariant === undefined) {
        const nothing = () => undefined;
        return { maxIn, outGivenIn: nothing, inGivenOut: nothing, smooth: nothing };
      }
      return {
        maxIn,
        outGivenIn(amountIn) {
          const after = balances.with(indexIn, heldIn + amountIn);
          const left = balanceAt(pool, invariant, after, indexOut);
          return left && heldOut - left - 1n;
        },
        inGivenOut(amountOut) {
          const after = balances.with(indexOut, heldOut - amountOut);
          const needed = balanceAt(pool, invariant, after, indexIn);
          return needed && needed - heldIn + 1n;
        },
        smooth: () =>
          balances.includes(0n)
            ? undefined
            : { ...smoothCurve(swap, Number(invariant)), maxIn: Number(maxIn) },
      };
    },
    gas: { swap: 106_000, swapToken: 13_500, query: 35_000, queryToken: 14_000 },
  }),

  schema,
  parse: (file, at, decimalsOf): StablePool => ({
    family: 'stable',
    ...parseVaultPool(file, at, decimalsOf),
    amplification: BigInt(file.amplification),
  }),
  live,
} satisfies PoolFamily<StablePool, typeof schema>;

/** Largest possible sale, as a multiple of the pool's total balance. */
const MAX_POOLS_SOLD = 16n;

/** Returns the invariant, rounded up; undefined if the contract's iteration fails. */
function invariantOf(pool: StablePool, balances: readonly bigint[]): bigint | undefined {
  const count = BigInt(balances.length);
  const ampTimesTotal = pool.amplification * count;
  const sum = balances.reduce((total, balance) => total + balance, 0n);
  return converge(sum, (invariant) => {
    let product = (balances[0] ?? 0n) * count;
    for (const balance of balances.slice(1)) {
      if (product * balance * count > MAX_UINT256) return undefined;
      product = divUp(product * balance * count, invariant);
    }
    const growth = ampTimesTotal * sum * product;
    if (growth > MAX_UINT256) return undefined;
    return divUp(
      count * invariant * invariant + divUp(growth, AMP_PRECISION),
      (count + 1n) * invariant + ((ampTimesTotal - AMP_PRECISION) * product) / AMP_PRECISION,
    );
  });
}

/**
 * Returns the balance at which the invariant holds, rounded up; undefined if the contract's
 * iteration fails.
 */
function balanceAt(
  pool: StablePool,
  invariant: bigint,
  balances: readonly bigint[],
  index: number,
): bigint | undefined {
  if (balances.some((balance) => balance <= 0n)) return undefined;
  const count = BigInt(balances.length);
  const ampTimesTotal = pool.amplification * count;
  let sum = balances[0] ?? 0n;
  let product = sum * count;
  for (const balance of balances.slice(1)) {
    if (product * balance * count > MAX_UINT256) return undefined;
    product = (product * balance * count) / invariant;
    sum += balance;
  }
  const own = balances[index] ?? 0n;
  const square = invariant * invariant;
  const denominator = ampTimesTotal * product;
  if (denominator === 0n || denominator > MAX_UINT256) return undefined;
  const c = divUp(square, denominator) * AMP_PRECISION * own;
  const b = sum - own + (invariant / ampTimesTotal) * AMP_PRECISION;
  if (square + c > MAX_UINT256) return undefined;
  return converge(divUp(square + c, invariant + b), (balance) =>
    balance * balance + c > MAX_UINT256 || 2n * balance + b <= invariant
      ? undefined
      : divUp(balance * balance + c, 2n * balance + b - invariant),
  );
}

const MAX_INVARIANT_ITERATIONS = 255;

/**
 * Returns the first value that differs from the previous one by at most 1; `undefined` if a step
 * fails or the values do not converge.
 */
function converge(start: bigint, step: (value: bigint) => bigint | undefined): bigint | undefined {
  let value = start;
  for (let count = 0; count < MAX_INVARIANT_ITERATIONS; count++) {
    const next = step(value);
    if (next === undefined) return undefined;
    const change = next > value ? next - value : value - next;
    if (change <= 1n) return next;
    value = next;
  }
  return undefined;
}

/**
 * Returns the curve as floats. With `K = D^(n+1) / (n^n P)` and `a = A n`, the output solves a
 * quadratic equation with only positive terms, so no precision is lost by cancellation.
 */
function smoothCurve(
  { pool, balances, indexIn, indexOut }: VaultSwap<StablePool>,
  invariant: number,
): SmoothCurve {
  const count = balances.length;
  const held = balances.map(Number);
  const heldIn = held[indexIn] ?? 0;
  const heldOut = held[indexOut] ?? 0;
  const amplified = (Number(pool.amplification) / Number(AMP_PRECISION)) * count;
  const k = held.reduce((rest, balance) => (rest * invariant) / (count * balance), invariant);
  const outputAt = (input: number): number => {
    const linear = heldOut + k / amplified + input;
    const constant = input * (heldOut + (k * heldOut) / amplified / (heldIn + input));
    return (2 * constant) / (linear + Math.sqrt(Math.max(0, linear ** 2 - 4 * constant)));
  };
  const priceAt = (input: number): number => {
    const nowIn = heldIn + input;
    const nowOut = heldOut - outputAt(input);
    const kNow = k * (heldIn / nowIn) * (heldOut / nowOut);
    return (amplified + kNow / nowIn) / (amplified + kNow / nowOut);
  };
  return { outputAt, priceAt };
}
