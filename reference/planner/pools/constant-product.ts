import { type Static, Type } from '../../../conformance/contract/schema.ts';
import type { Address } from '../domain/address.ts';
import { type LiveReads, PAIR_TOKENS, type PoolFamily } from './family.ts';
import { ONE_IN_PIPS } from './full-math.ts';
import { isZeroForOne, type PairIdentity, type SwapOutcome } from './pool.ts';
import { closed, pairIdentity, parsePair, parseUpTo, unsigned } from './pool-schema.ts';

/** A Uniswap V2 pair: `x * y = k`. Reserves are base units, each below 2^112. */
export type ConstantProductPool = PairIdentity & {
  readonly family: 'constant-product';
  readonly reserve0: bigint;
  readonly reserve1: bigint;
};

const schema = closed({
  family: Type.Literal('constant-product'),
  ...pairIdentity,
  reserve0: unsigned,
  reserve1: unsigned,
});
type File = Static<typeof schema>;

const RESERVES = { view: 'function getReserves() view returns (uint112, uint112, uint32)' };

/** Default fee, because pairs do not report their fees. */
const PAIR_FEE_PIPS = 3000;

const live: LiveReads<File, Omit<File, 'reserve0' | 'reserve1'>> = {
  identify: [
    // `getReserves` distinguishes pairs from other contracts that have two tokens.
    () => [...PAIR_TOKENS, RESERVES],
  ],
  identity: ({ address, source, feePips = PAIR_FEE_PIPS }, results) => {
    const [token0, token1] = results as [string, string];
    return {
      family: 'constant-product',
      address,
      source,
      token0: token0.toLowerCase(),
      token1: token1.toLowerCase(),
      feePips,
    };
  },
  reads: () => [RESERVES],
  state: (fixed, results) => {
    const [[reserve0, reserve1]] = results as [readonly [bigint, bigint]];
    return { ...fixed, reserve0: `${reserve0}`, reserve1: `${reserve1}` };
  },
};

/**
 * Fitted by least squares to 270 random plans through the Universal Router on the fixture chain,
 * and rounded up.
 */
const PAIR_GAS = 95_000;

/**
 * Pairs store reserves as `uint112`. A swap after which a reserve would exceed the maximum reverts
 * with `OVERFLOW`.
 */
const MAX_RESERVE = (1n << 112n) - 1n;

/**
 * Uniswap V2 pairs, with any fee. Amounts equal those of `UniswapV2Library`, which routers use. An
 * exact input may yield 0, but the pair itself rejects such a swap. If the division leaves no
 * remainder, an exact output costs one base unit more than necessary, because the library always
 * adds 1.
 * @see https://github.com/Uniswap/v2-periphery/blob/master/contracts/libraries/UniswapV2Library.sol
 */
export const constantProduct = {
  curve(pool, tokenIn) {
    const pair = orient(pool, tokenIn);
    const { reserveIn, reserveOut } = pair;
    const isEmpty = reserveIn === 0n || reserveOut === 0n;
    return {
      swapExactInput(amountIn) {
        if (isEmpty) return NOTHING;
        if (reserveIn + amountIn > MAX_RESERVE) return largestSwap(pair);
        return { kind: 'filled', amountIn, amountOut: getAmountOut(pair, amountIn) };
      },
      swapExactOutput(amountOut) {
        if (isEmpty) return NOTHING;
        if (amountOut >= reserveOut) return largestSwap(pair);
        const amountIn = getAmountIn(pair, amountOut);
        if (reserveIn + amountIn > MAX_RESERVE) return largestSwap(pair);
        return { kind: 'filled', amountIn, amountOut };
      },
      segments() {
        if (isEmpty) return [];
        const depthIn = Number(reserveIn) / (1 - pool.feePips / 1e6);
        const depthOut = Number(reserveOut);
        const span = Math.log1p(Number(MAX_RESERVE - reserveIn) / depthIn);
        return [{ logRate: Math.log(depthOut / depthIn), depthIn, depthOut, span }];
      },
      gas: () => PAIR_GAS,
    };
  },

  midPrice(pool, known) {
    const { reserveIn, reserveOut } = orient(pool, known);
    const depth = Number(reserveIn);
    return { price: reserveOut > 0n ? depth / Number(reserveOut) : 0, depth };
  },

  feePips: ({ feePips }) => feePips,
  details: ({ feePips }) => ({ feeInBps: feePips / 100 }),

  schema,
  parse: (file, at): ConstantProductPool => ({
    family: 'constant-product',
    ...parsePair(file),
    reserve0: parseUpTo(MAX_RESERVE, file.reserve0, `${at}/reserve0`),
    reserve1: parseUpTo(MAX_RESERVE, file.reserve1, `${at}/reserve1`),
  }),
  live,

  graphRouter: {
    hopBits: ({ feePips }) => BigInt(feePips) << 192n,
    paidUpstream: 'always',
  },
  universalRouter: { kind: 'path', exactIn: '0x08', exactOut: '0x09', mayTakeLess: false },
} satisfies PoolFamily<ConstantProductPool, typeof schema>;

type OrientedPair = {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** One minus the fee, in millionths. */
  readonly afterFeePips: bigint;
};

const NOTHING: SwapOutcome = { kind: 'exhausted', amountIn: 0n, amountOut: 0n };

function orient(pool: ConstantProductPool, tokenIn: Address): OrientedPair {
  const afterFeePips = ONE_IN_PIPS - BigInt(pool.feePips);
  return isZeroForOne(pool, tokenIn)
    ? { reserveIn: pool.reserve0, reserveOut: pool.reserve1, afterFeePips }
    : { reserveIn: pool.reserve1, reserveOut: pool.reserve0, afterFeePips };
}

/** Returns the largest swap after which both reserves still fit into `uint112`. */
function largestSwap(pair: OrientedPair): SwapOutcome {
  const amountIn = MAX_RESERVE - pair.reserveIn;
  return { kind: 'exhausted', amountIn, amountOut: getAmountOut(pair, amountIn) };
}

function getAmountOut(
  { reserveIn, reserveOut, afterFeePips }: OrientedPair,
  amountIn: bigint,
): bigint {
  const amountInWithFee = amountIn * afterFeePips;
  return (amountInWithFee * reserveOut) / (reserveIn * ONE_IN_PIPS + amountInWithFee);
}

function getAmountIn(
  { reserveIn, reserveOut, afterFeePips }: OrientedPair,
  amountOut: bigint,
): bigint {
  return (reserveIn * amountOut * ONE_IN_PIPS) / ((reserveOut - amountOut) * afterFeePips) + 1n;
}
