import { type Static, Type } from '../../../conformance/contract/schema.ts';
import { MarketFileError } from '../domain/market-file-error.ts';
import type { LiveReads, PoolFamily } from './family.ts';
import { divDown, divUp, mulDown, mulUp, ONE, powUp } from './fixed-point.ts';
import { unsigned } from './pool-schema.ts';
import { type VaultPool, vaultMath } from './vault-pool.ts';
import { parseVaultPool, vaultLive, vaultSchema } from './vault-pool-file.ts';

/**
 * A Balancer V2 weighted pool of two to eight tokens. The product of the balances, each raised to
 * the power of its weight, is constant.
 */
export type WeightedPool = VaultPool & {
  readonly family: 'weighted';
  /** With 18 decimals, in the order of the tokens. They sum to one. */
  readonly weights: readonly bigint[];
};

const MAX_WEIGHTED_TOKENS = 8;

const schema = vaultSchema('weighted', MAX_WEIGHTED_TOKENS, {
  weights: Type.Array(unsigned, { description: 'In 10^-18, in the order of the tokens.' }),
});

const live: LiveReads<Static<typeof schema>> = vaultLive('weighted', {
  own: [{ view: 'function getNormalizedWeights() view returns (uint256[])' }],
  ownFile: ([weights]) => ({ weights: (weights as readonly bigint[]).map(String) }),
}) as LiveReads<Static<typeof schema>>;

/** Maximum fraction of either balance that a swap may move. */
const MAX_RATIO = (3n * ONE) / 10n;

/**
 * Balancer V2's `WeightedPool`, the first version. The contract rejects an exact input above 30%
 * of the input token's balance, and an exact output above 30% of the output token's balance. Here,
 * every swap must respect both limits. Each swap can therefore be requested as exact input or exact
 * output, except for rounding.
 * @see https://github.com/balancer/balancer-v2-monorepo/blob/master/pkg/pool-weighted/contracts/WeightedMath.sol
 */
export const weighted = {
  ...vaultMath<WeightedPool>({
    open({ pool, balances, indexIn, indexOut }) {
      const [heldIn, heldOut] = [balances[indexIn] ?? 0n, balances[indexOut] ?? 0n];
      const [weightIn, weightOut] = [pool.weights[indexIn] ?? ONE, pool.weights[indexOut] ?? ONE];
      return {
        maxIn: mulDown(heldIn, MAX_RATIO),
        outGivenIn(amountIn) {
          if (heldIn === 0n) return undefined;
          const power = powUp(divUp(heldIn, heldIn + amountIn), divDown(weightIn, weightOut));
          const amountOut = power < ONE ? mulDown(heldOut, ONE - power) : 0n;
          return amountOut > mulDown(heldOut, MAX_RATIO) ? undefined : amountOut;
        },
        inGivenOut(amountOut) {
          if (amountOut > mulDown(heldOut, MAX_RATIO)) return undefined;
          const power = powUp(divUp(heldOut, heldOut - amountOut), divUp(weightOut, weightIn));
          return mulUp(heldIn, power - ONE);
        },
        smooth: () =>
          heldIn === 0n || heldOut === 0n
            ? undefined
            : smoothCurve(Number(heldIn), Number(heldOut), Number(weightIn) / Number(weightOut)),
      };
    },
    gas: { swap: 106_000, swapToken: 3_000, query: 37_000, queryToken: 2_500 },
  }),

  schema,
  parse(file, at, decimalsOf): WeightedPool {
    const weights = file.weights.map(BigInt);
    if (weights.length !== file.tokens.length || weights.reduce((a, b) => a + b, 0n) !== ONE) {
      const must = `must be ${file.tokens.length} weights that sum to ${ONE}`;
      throw new MarketFileError(`${at}/weights`, file.weights, must);
    }
    return { family: 'weighted', ...parseVaultPool(file, at, decimalsOf), weights };
  },
  live,
} satisfies PoolFamily<WeightedPool, typeof schema>;

function smoothCurve(heldIn: number, heldOut: number, exponent: number) {
  const part = Number(MAX_RATIO) / Number(ONE);
  return {
    outputAt: (input: number) => -heldOut * Math.expm1(-exponent * Math.log1p(input / heldIn)),
    priceAt: (input: number) =>
      ((heldOut * exponent) / heldIn) * (1 + input / heldIn) ** -(exponent + 1),
    maxIn: heldIn * Math.min(part, Math.expm1(-Math.log1p(-part) / exponent)),
  };
}
