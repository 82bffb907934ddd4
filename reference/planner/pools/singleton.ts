import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils';
import { type Static, Type } from '../../../conformance/contract/schema.ts';
import type { Address } from '../domain/address.ts';
import { MarketFileError } from '../domain/market-file-error.ts';
import { type ConcentratedPool, concentrated, parseRanges, rangeFields } from './concentrated.ts';
import type { LiveReads, PoolFamily, PoolKey, Read, SwapCurve } from './family.ts';
import { isZeroForOne, type SwapOutcome } from './pool.ts';
import { closed } from './pool-schema.ts';

/**
 * A Uniswap V4 pool without hooks. `address` is the address of the PoolManager, which holds the
 * tokens of all V4 pools. `feePips` is the liquidity providers' fee.
 */
export type SingletonPool = Omit<ConcentratedPool, 'family'> & {
  readonly family: 'singleton';
  readonly poolId: string;
  /**
   * True if the pool trades the native token. Then `token0` is the wrapped native token, whatever
   * the order of the addresses.
   */
  readonly isNative: boolean;
  /**
   * Protocol fee in millionths of the input. The lower 12 bits apply to sales of token0, the upper
   * bits to sales of token1.
   */
  readonly protocolFee: number;
};

const PROTOCOL_FEE_BITS = 12;

const schema = closed({
  family: Type.Literal('singleton'),
  ...rangeFields,
  tickSpacing: Type.Integer({ minimum: 1, maximum: 32_767 }),
  poolId: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'Pool id at the PoolManager.' }),
  isNative: Type.Boolean({
    description:
      'True if the pool trades the native token; `token0` is then the wrapped native token.',
  }),
  protocolFee: Type.Integer({
    minimum: 0,
    maximum: 2 ** (2 * PROTOCOL_FEE_BITS) - 1,
    description: 'In millionths of the input, 12 bits per direction, as the PoolManager stores it.',
  }),
});
type File = Static<typeof schema>;

const NATIVE = `0x${'0'.repeat(40)}`;

const POOLS_SLOT = 6n;
const LIQUIDITY_OFFSET = 3n;
const TICKS_OFFSET = 4n;
const BITMAP_OFFSET = 5n;

const live: LiveReads<
  File,
  Omit<File, 'sqrtPriceX96' | 'tick' | 'liquidity' | 'ticks' | 'protocolFee'>
> = {
  identify: [({ key }) => (key === undefined ? [] : [slotRead(slotOf(poolIdOf(key)))])],
  identity: ({ address, source, key, wrappedNative }, [slot0]) => {
    if (key === undefined || BigInt(`${slot0}`) === 0n) return undefined;
    const isNative = key.currency0 === NATIVE;
    return {
      family: 'singleton',
      address,
      source,
      token0: isNative ? wrappedNative : key.currency0,
      token1: key.currency1,
      feePips: key.fee,
      tickSpacing: key.tickSpacing,
      poolId: poolIdOf(key),
      isNative,
    };
  },
  reads: ({ poolId }) => [slotRead(slotOf(poolId)), slotRead(slotOf(poolId) + LIQUIDITY_OFFSET)],
  state: (fixed, [slot0, liquidity], ticks) => {
    const bits = BigInt(`${slot0}`);
    return {
      ...fixed,
      sqrtPriceX96: `${BigInt.asUintN(160, bits)}`,
      tick: Number(BigInt.asIntN(24, bits >> 160n)),
      protocolFee: Number(BigInt.asUintN(24, bits >> 184n)),
      liquidity: `${BigInt(`${liquidity}`)}`,
      ticks,
    };
  },
  ticks: ({ poolId }) => ({
    readWord: 'function extsload(bytes32)',
    readTick: 'function extsload(bytes32)',
    bitmapSlot: slotOf(poolId) + BITMAP_OFFSET,
    ticksSlot: slotOf(poolId) + TICKS_OFFSET,
  }),
};

/**
 * Uniswap V4 pools without hooks. They differ from Uniswap V3 pools in two ways: each direction may
 * have a protocol fee on top of the pool's own fee, and they may trade the native token.
 * @see https://github.com/Uniswap/v4-core/blob/main/src/libraries/Pool.sol
 */
export const singleton = {
  curve(pool, tokenIn) {
    const ranges = concentrated.curve(asConcentrated(pool, tokenIn), tokenIn);
    return {
      swapExactInput(amountIn) {
        const swap = ranges.swapExactInput(amountIn);
        return fitsAccount(swap) ? swap : largestSwap(ranges);
      },
      swapExactOutput(amountOut) {
        const swap = ranges.swapExactOutput(amountOut);
        return fitsAccount(swap) ? swap : largestSwap(ranges);
      },
      segments: ranges.segments,
      gas: (amountIn, driftTicks) =>
        ranges.gas(amountIn, driftTicks) + LOCK_GAS + (pool.isNative ? NATIVE_GAS : 0),
    };
  },
  midPrice: (pool, known) => concentrated.midPrice(asConcentrated(pool, known), known),

  feePips: ({ feePips }) => feePips,
  details: (pool) => ({
    poolId: pool.poolId,
    ...keyOf(pool),
    hooks: NATIVE,
    isToken0Native: pool.isNative,
  }),

  schema,
  parse(file, at): SingletonPool {
    if (file.token0 === file.token1) {
      throw new MarketFileError(`${at}/token1`, file.token1, 'must not be token0');
    }
    const { poolId, isNative, protocolFee } = file;
    return { ...parseRanges(file, at), family: 'singleton', poolId, isNative, protocolFee };
  },
  live,

  graphRouter: {
    hopBits: ({ isNative, feePips, tickSpacing }) =>
      (1n << 188n) |
      (isNative ? 1n << 189n : 0n) |
      (BigInt(feePips) << 192n) |
      (BigInt(tickSpacing) << 216n),
    paidUpstream: 'never',
  },
  universalRouter: { kind: 'lock', keyOf },
} satisfies PoolFamily<SingletonPool, typeof schema>;

/** The manager stores debts as signed 128-bit numbers. */
const MAX_AMOUNT = (1n << 127n) - 1n;

function fitsAccount({ amountIn, amountOut }: SwapOutcome): boolean {
  return amountIn <= MAX_AMOUNT && amountOut <= MAX_AMOUNT;
}

function largestSwap(ranges: SwapCurve): SwapOutcome {
  const swap = ranges.swapExactInput(MAX_AMOUNT);
  if (fitsAccount(swap)) return { ...swap, kind: 'exhausted' };
  const { amountIn } = ranges.swapExactOutput(MAX_AMOUNT);
  return { ...ranges.swapExactInput(amountIn - 1n), kind: 'exhausted' };
}

/* Measured on the fixture chain, rounded up. */
/** Gas of the manager's lock and accounting. */
const LOCK_GAS = 23_000;
const NATIVE_GAS = 36_000;

/**
 * The protocol first takes its share of the input. The pool's own fee is a share of the rest,
 * rounded up.
 */
export function asConcentrated(pool: SingletonPool, tokenIn: Address): ConcentratedPool {
  const fees = isZeroForOne(pool, tokenIn)
    ? pool.protocolFee
    : pool.protocolFee >> PROTOCOL_FEE_BITS;
  const protocolPips = fees % 2 ** PROTOCOL_FEE_BITS;
  const feePips = protocolPips + pool.feePips - Math.floor((protocolPips * pool.feePips) / 1e6);
  return { ...pool, family: 'concentrated', feePips };
}

function keyOf({ isNative, token0, token1, feePips, tickSpacing }: SingletonPool): PoolKey {
  return { currency0: isNative ? NATIVE : token0, currency1: token1, fee: feePips, tickSpacing };
}

function poolIdOf({ currency0, currency1, fee, tickSpacing }: PoolKey): string {
  return hashOf([currency0, currency1, fee, tickSpacing, 0].map(BigInt));
}

function slotOf(poolId: string): bigint {
  return BigInt(hashOf([BigInt(poolId), POOLS_SLOT]));
}

function hashOf(words: readonly bigint[]): string {
  return `0x${bytesToHex(keccak_256(hexToBytes(words.map(wordOf).join(''))))}`;
}

function wordOf(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

function slotRead(slot: bigint): Read {
  const view = 'function extsload(bytes32) view returns (bytes32)';
  return { view, args: [`0x${wordOf(slot)}`] };
}
