import type { Address } from '../domain/address.ts';
import { fitSegments, type SmoothCurve } from './fit-segments.ts';
import { divUp, mulUp, ONE } from './fixed-point.ts';
import { type PoolIdentity, type SwapOutcome, TokenNotInPoolError } from './pool.ts';
import type { Segment } from './segment.ts';

/** What every pool of Balancer V2's Vault has: it trades each of its tokens for each other. */
export type VaultPool = PoolIdentity & {
  /** The contract that holds the pool's tokens, and that is called. */
  readonly vault: Address;
  readonly poolId: string;
  /** Ascending. */
  readonly tokens: readonly Address[];
  /** Base units, in the order of the tokens. */
  readonly balances: readonly bigint[];
  /** By what base units of each are multiplied to come to 18 decimals. */
  readonly scales: readonly bigint[];
  /** Part of the input, with 18 decimals. */
  readonly swapFee: bigint;
};

/** A swap as a pool's contract sees it: amounts with 18 decimals, the fee taken off already. */
export type VaultSwap<State> = {
  readonly pool: State;
  /** With 18 decimals. */
  readonly balances: readonly bigint[];
  readonly indexIn: number;
  readonly indexOut: number;
};

/** What sets pools of the Vault apart: their curve. Undefined is what the contract refuses. */
type VaultCurve<State> = {
  /** The most that a sale may be, with 18 decimals, the fee taken off. */
  readonly mostIn: (swap: VaultSwap<State>) => bigint;
  readonly outGivenIn: (swap: VaultSwap<State>, amountIn: bigint) => bigint | undefined;
  readonly inGivenOut: (swap: VaultSwap<State>, amountOut: bigint) => bigint | undefined;
  /** The same in floats, and how far it goes; none where nothing can be swapped. */
  readonly smooth: (
    swap: VaultSwap<State>,
  ) => (SmoothCurve & { readonly mostIn: number }) | undefined;
  /** Of a swap and of asking what it needs, and what each token of the pool adds; measured on the fixture chain, rounded up. */
  readonly gas: Readonly<Record<'swap' | 'swapToken' | 'ask' | 'askToken', number>>;
};

/** The Vault keeps balances as `uint112`. */
export const MAX_BALANCE = (1n << 112n) - 1n;

/** Returns the part of a descriptor that all pools of the Vault share. */
export function vaultMaths<State extends VaultPool>(curve: VaultCurve<State>) {
  const sell = (
    pool: State,
    tokenIn: Address,
    amountIn: bigint,
    tokenOut: Address,
  ): SwapOutcome => {
    const swap = swapOf(pool, tokenIn, tokenOut);
    const amountOut = outputFor(curve, swap, amountIn);
    return amountOut === undefined ? mostOf(curve, swap) : { kind: 'filled', amountIn, amountOut };
  };
  return {
    swapExactInput: sell,

    swapExactOutput(
      pool: State,
      tokenIn: Address,
      amountOut: bigint,
      tokenOut: Address,
    ): SwapOutcome {
      const swap = swapOf(pool, tokenIn, tokenOut);
      const amountIn = inputFor(curve, swap, amountOut);
      if (amountIn !== undefined && netOf(swap, amountIn) <= curve.mostIn(swap)) {
        return { kind: 'filled', amountIn, amountOut };
      }
      // What the largest sale buys can be bought too, though its cost is rounded to beyond that sale.
      const most = mostOf(curve, swap);
      return amountIn === undefined || amountOut > most.amountOut
        ? most
        : { kind: 'filled', amountIn, amountOut };
    },

    marginalPrice: (pool: State, tokenIn: Address, tokenOut: Address) =>
      priceOf(curve, swapOf(pool, tokenIn, tokenOut)) * keptOf(pool),

    afterExactInput(pool: State, tokenIn: Address, amountIn: bigint, tokenOut: Address): State {
      const { amountIn: taken, amountOut } = sell(pool, tokenIn, amountIn, tokenOut);
      const { indexIn, indexOut } = swapOf(pool, tokenIn, tokenOut);
      const balances = pool.balances.map(
        (balance, index) =>
          balance + (index === indexIn ? taken : 0n) - (index === indexOut ? amountOut : 0n),
      );
      return { ...pool, balances };
    },

    segments: (pool: State, tokenIn: Address, tokenOut: Address) =>
      segmentsOf(curve, swapOf(pool, tokenIn, tokenOut)),

    midPrice: (pool: State, known: Address, other: Address) => ({
      price: priceOf(curve, swapOf(pool, other, known)),
      depth: Number(pool.balances[indexOf(pool, known)]),
    }),

    feePips: ({ swapFee }: State) => Number(swapFee) / 1e12,
    details: ({ poolId, vault }: State) => ({ poolId, vault }),
    gas: ({ tokens }: State) => curve.gas.swap + tokens.length * curve.gas.swapToken,
    graphRouter: {
      hopBits: () => 1n << 187n,
      paidUpstream: 'never' as const,
      askGas: ({ tokens }: State) => curve.gas.ask + tokens.length * curve.gas.askToken,
    },
    universalRouter: undefined,
  };
}

function outputFor<State extends VaultPool>(
  curve: VaultCurve<State>,
  swap: VaultSwap<State>,
  amountIn: bigint,
): bigint | undefined {
  const net = netOf(swap, amountIn);
  if (amountIn > roomOf(swap) || net > curve.mostIn(swap)) return undefined;
  const out = curve.outGivenIn(swap, net);
  return out && (out < 0n ? 0n : out / scaleOf(swap.pool, swap.indexOut));
}

/** What the curve sees of an input: its fee taken off, with 18 decimals. */
function netOf({ pool, indexIn }: VaultSwap<VaultPool>, amountIn: bigint): bigint {
  return (amountIn - mulUp(amountIn, pool.swapFee)) * scaleOf(pool, indexIn);
}

function inputFor<State extends VaultPool>(
  curve: VaultCurve<State>,
  swap: VaultSwap<State>,
  amountOut: bigint,
): bigint | undefined {
  const { pool, indexIn, indexOut } = swap;
  if (amountOut >= (pool.balances[indexOut] ?? 0n)) return undefined;
  const net = curve.inGivenOut(swap, amountOut * scaleOf(pool, indexOut));
  if (net === undefined) return undefined;
  const scale = scaleOf(pool, indexIn);
  const amountIn = divUp((net + scale - 1n) / scale, ONE - pool.swapFee);
  return amountIn > roomOf(swap) ? undefined : amountIn;
}

/** The largest swap that the contract does. */
function mostOf<State extends VaultPool>(
  curve: VaultCurve<State>,
  swap: VaultSwap<State>,
): SwapOutcome {
  let low = 0n;
  let high = MAX_BALANCE;
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (outputFor(curve, swap, middle) === undefined) high = middle - 1n;
    else low = middle;
  }
  const amountOut = low && (outputFor(curve, swap, low) ?? 0n);
  return { kind: 'exhausted', amountIn: low, amountOut };
}

function priceOf<State extends VaultPool>(curve: VaultCurve<State>, swap: VaultSwap<State>) {
  const { pool, indexIn, indexOut } = swap;
  const scale = Number(scaleOf(pool, indexIn)) / Number(scaleOf(pool, indexOut));
  return (curve.smooth(swap)?.priceAt(0) ?? 0) * scale;
}

function segmentsOf<State extends VaultPool>(
  curve: VaultCurve<State>,
  swap: VaultSwap<State>,
): Segment[] {
  const { pool, indexIn, indexOut } = swap;
  const smooth = curve.smooth(swap);
  if (smooth === undefined) return [];
  const perIn = Number(scaleOf(pool, indexIn)) * keptOf(pool);
  const perOut = Number(scaleOf(pool, indexOut));
  return fitSegments(smooth, Number(swap.balances[indexIn]), smooth.mostIn).map((segment) => ({
    ...segment,
    logPrice: segment.logPrice + Math.log(perIn / perOut),
    depthIn: segment.depthIn / perIn,
    depthOut: segment.depthOut / perOut,
  }));
}

/** How much more of the token that goes in the Vault takes. */
function roomOf({ pool, indexIn }: VaultSwap<VaultPool>): bigint {
  return MAX_BALANCE - (pool.balances[indexIn] ?? 0n);
}

const keptOf = ({ swapFee }: VaultPool): number => 1 - Number(swapFee) / 1e18;

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
