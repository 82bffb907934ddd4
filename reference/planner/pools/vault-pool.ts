import type { Address } from '../domain/address.ts';
import type { SwapCurve } from './family.ts';
import { fitSegments, type SmoothCurve } from './fit-segments.ts';
import { divUp, mulUp, ONE } from './fixed-point.ts';
import { type PoolIdentity, type SwapOutcome, TokenNotInPoolError } from './pool.ts';
import type { Segment } from './segment.ts';

/** State of a pool at Balancer V2's Vault. Any two of its tokens can be swapped. */
export type VaultPool = PoolIdentity & {
  /** The contract that holds the pool's tokens and executes its swaps. */
  readonly vault: Address;
  readonly poolId: string;
  /** In ascending order. */
  readonly tokens: readonly Address[];
  /** Base units, in the order of the tokens. */
  readonly balances: readonly bigint[];
  /** Factor from each token's base units to 18 decimals. */
  readonly scales: readonly bigint[];
  /** Fee as a fraction of the input, with 18 decimals. */
  readonly swapFee: bigint;
};

/** A swap as a pool's contract represents it: amounts have 18 decimals and exclude the fee. */
export type VaultSwap<State> = {
  readonly pool: State;
  /** With 18 decimals. */
  readonly balances: readonly bigint[];
  readonly indexIn: number;
  readonly indexOut: number;
};

/** Amounts have 18 decimals. They are undefined if the contract would revert. */
type VaultMath = {
  readonly maxIn: bigint;
  readonly outGivenIn: (amountIn: bigint) => bigint | undefined;
  readonly inGivenOut: (amountOut: bigint) => bigint | undefined;
  /** The same curve as floats, with its maximum input; undefined if nothing can be swapped. */
  readonly smooth: () => (SmoothCurve & { readonly maxIn: number }) | undefined;
};

type VaultCurve<State> = {
  readonly open: (swap: VaultSwap<State>) => VaultMath;
  /**
   * Gas of a swap and of a query for its input, plus additional gas for each token in the pool.
   * Measured on the fixture chain, and rounded up.
   */
  readonly gas: Readonly<Record<'swap' | 'swapToken' | 'query' | 'queryToken', number>>;
};

/** The Vault stores balances as `uint112`. */
export const MAX_BALANCE = (1n << 112n) - 1n;

/** Returns the part of a family's implementation that all Vault pools share. */
export function vaultMath<State extends VaultPool>(curve: VaultCurve<State>) {
  return {
    curve(pool: State, tokenIn: Address, tokenOut: Address): SwapCurve {
      const swap = swapOf(pool, tokenIn, tokenOut);
      const math = curve.open(swap);
      return {
        swapExactInput(amountIn) {
          const amountOut = outputFor(math, swap, amountIn);
          return amountOut === undefined
            ? largestSwap(math, swap)
            : { kind: 'filled', amountIn, amountOut };
        },
        swapExactOutput(amountOut) {
          const amountIn = inputFor(math, swap, amountOut);
          if (amountIn !== undefined && netOf(swap, amountIn) <= math.maxIn) {
            return { kind: 'filled', amountIn, amountOut };
          }
          // The output of the largest sale can also be bought, even if rounding raises the cost
          // above that sale's input.
          const largest = largestSwap(math, swap);
          return amountIn === undefined || amountOut > largest.amountOut
            ? largest
            : { kind: 'filled', amountIn, amountOut };
        },
        segments: () => segmentsOf(math, swap),
        gas: () => curve.gas.swap + pool.tokens.length * curve.gas.swapToken,
      };
    },

    midPrice(pool: State, known: Address, other: Address) {
      const swap = swapOf(pool, other, known);
      const depth = Number(pool.balances[indexOf(pool, known)]);
      return { price: priceOf(curve.open(swap), swap), depth };
    },

    feePips: ({ swapFee }: State) => Number(swapFee) / 1e12,
    details: ({ poolId, vault }: State) => ({ poolId, vault }),
    graphRouter: {
      hopBits: () => 1n << 187n,
      paidUpstream: 'never' as const,
      queryGas: ({ tokens }: State) => curve.gas.query + tokens.length * curve.gas.queryToken,
    },
    universalRouter: undefined,
  };
}

function outputFor(
  math: VaultMath,
  swap: VaultSwap<VaultPool>,
  amountIn: bigint,
): bigint | undefined {
  const net = netOf(swap, amountIn);
  if (amountIn > roomOf(swap) || net > math.maxIn) return undefined;
  const out = math.outGivenIn(net);
  return out && (out < 0n ? 0n : out / scaleOf(swap.pool, swap.indexOut));
}

function netOf({ pool, indexIn }: VaultSwap<VaultPool>, amountIn: bigint): bigint {
  return (amountIn - mulUp(amountIn, pool.swapFee)) * scaleOf(pool, indexIn);
}

function inputFor(
  math: VaultMath,
  swap: VaultSwap<VaultPool>,
  amountOut: bigint,
): bigint | undefined {
  const { pool, indexIn, indexOut } = swap;
  if (amountOut >= (pool.balances[indexOut] ?? 0n)) return undefined;
  const net = math.inGivenOut(amountOut * scaleOf(pool, indexOut));
  if (net === undefined) return undefined;
  const scale = scaleOf(pool, indexIn);
  const amountIn = divUp((net + scale - 1n) / scale, ONE - pool.swapFee);
  return amountIn > roomOf(swap) ? undefined : amountIn;
}

function largestSwap(math: VaultMath, swap: VaultSwap<VaultPool>): SwapOutcome {
  let low = 0n;
  let high = MAX_BALANCE;
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (outputFor(math, swap, middle) === undefined) high = middle - 1n;
    else low = middle;
  }
  const amountOut = low && (outputFor(math, swap, low) ?? 0n);
  return { kind: 'exhausted', amountIn: low, amountOut };
}

function priceOf(math: VaultMath, { pool, indexIn, indexOut }: VaultSwap<VaultPool>): number {
  const scale = Number(scaleOf(pool, indexIn)) / Number(scaleOf(pool, indexOut));
  return (math.smooth()?.priceAt(0) ?? 0) * scale;
}

function segmentsOf(math: VaultMath, swap: VaultSwap<VaultPool>): Segment[] {
  const { pool, indexIn, indexOut } = swap;
  const smooth = math.smooth();
  if (smooth === undefined) return [];
  const perIn = Number(scaleOf(pool, indexIn)) * afterFeeOf(pool);
  const perOut = Number(scaleOf(pool, indexOut));
  return fitSegments(smooth, Number(swap.balances[indexIn]), smooth.maxIn).map((segment) => ({
    ...segment,
    logRate: segment.logRate + Math.log(perIn / perOut),
    depthIn: segment.depthIn / perIn,
    depthOut: segment.depthOut / perOut,
  }));
}

function roomOf({ pool, indexIn }: VaultSwap<VaultPool>): bigint {
  return MAX_BALANCE - (pool.balances[indexIn] ?? 0n);
}

const afterFeeOf = ({ swapFee }: VaultPool): number => 1 - Number(swapFee) / 1e18;

function swapOf<State extends VaultPool>(
  pool: State,
  tokenIn: Address,
  tokenOut: Address,
): VaultSwap<State> {
  const balances = pool.balances.map((balance, index) => balance * scaleOf(pool, index));
  return { pool, balances, indexIn: indexOf(pool, tokenIn), indexOut: indexOf(pool, tokenOut) };
}

function indexOf({ address, tokens }: VaultPool, token: Address): number {
  const index = tokens.indexOf(token);
  if (index < 0) throw new TokenNotInPoolError(address, token);
  return index;
}

function scaleOf({ scales }: VaultPool, index: number): bigint {
  return scales[index] ?? 1n;
}
