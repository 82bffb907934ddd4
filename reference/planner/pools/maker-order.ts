import type { Address } from '../domain/address.ts';
import type { PoolFamily } from './family.ts';
import { isZeroForOne, type PairIdentity, type SwapOutcome } from './pool.ts';

/**
 * A market maker's order to buy up to `takerAmount` of one token for `makerAmount` of another.
 * Amounts are in base units.
 */
export type MakerOrder = {
  readonly maker: Address;
  /** Only caller that may fill the order. The zero address allows any caller. */
  readonly taker: Address;
  readonly makerToken: Address;
  readonly takerToken: Address;
  readonly makerAmount: bigint;
  readonly takerAmount: bigint;
  /** Last block timestamp at which the order is valid, in Unix seconds. */
  readonly expiry: bigint;
  /** Distinguishes orders that are otherwise equal. */
  readonly salt: bigint;
};

/** The fields of an order, as the contract declares them. */
export const ORDER_FIELDS = [
  { name: 'maker', type: 'address' },
  { name: 'taker', type: 'address' },
  { name: 'makerToken', type: 'address' },
  { name: 'takerToken', type: 'address' },
  { name: 'makerAmount', type: 'uint256' },
  { name: 'takerAmount', type: 'uint256' },
  { name: 'expiry', type: 'uint256' },
  { name: 'salt', type: 'uint256' },
] as const;

/**
 * An order as a pool that trades in one direction at one rate until it is filled. `address` is the
 * address of the `MakerOrders` contract.
 */
export type MakerOrderPool = PairIdentity & {
  readonly family: 'maker-order';
  readonly order: MakerOrder;
  /** r, s and v as 65 bytes of hex. */
  readonly signature: `0x${string}`;
  /** Unfilled part of the order's `takerAmount`, or the most that a trade can fill. */
  readonly available: bigint;
};

/**
 * Source of orders, as in `routes[].name`. No router lists this source, because `useRfq` requests
 * it.
 */
export const MAKER_SOURCE = 'MakerOrders';

/**
 * Measured on the fixture chain and rounded up. In the measurement, the maker held none of the
 * token that it received, which costs another 17,000 gas.
 */
const ORDER_GAS = 102_000;

const FLATNESS = 1e5;

/**
 * Orders of market makers. Amounts equal those of the `MakerOrders` contract: proportional, and
 * rounded in the maker's favor.
 * @see ../contracts/MakerOrders.sol
 */
export const makerOrder = {
  curve(pool, tokenIn) {
    const { available } = pool;
    const { makerAmount, takerAmount } = pool.order;
    const isSold = isZeroForOne(pool, tokenIn) === isZeroForOne(pool, pool.order.takerToken);
    const boughtFor = (amountIn: bigint) => (amountIn * makerAmount) / takerAmount;
    const exhausted: SwapOutcome = isSold
      ? {
          kind: 'exhausted',
          amountIn: available,
          amountOut: available > 0n ? boughtFor(available) : 0n,
        }
      : { kind: 'exhausted', amountIn: 0n, amountOut: 0n };
    const price = isSold && available > 0n ? Number(makerAmount) / Number(takerAmount) : 0;
    return {
      swapExactInput: (amountIn) =>
        isSold && amountIn <= available
          ? { kind: 'filled', amountIn, amountOut: boughtFor(amountIn) }
          : exhausted,
      swapExactOutput(amountOut) {
        const amountIn = (amountOut * takerAmount + makerAmount - 1n) / makerAmount;
        return isSold && amountIn <= available
          ? { kind: 'filled', amountIn, amountOut }
          : exhausted;
      },
      segments() {
        if (price === 0) return [];
        const depthIn = Number(available) * FLATNESS;
        const depthOut = Number(available) * price * (FLATNESS + 1);
        const span = Math.log1p(1 / FLATNESS);
        return [{ logRate: Math.log(depthOut / depthIn), depthIn, depthOut, span }];
      },
      gas: () => ORDER_GAS,
    };
  },

  // A quote for one trade is not a market price.
  midPrice: () => ({ price: 0, depth: 0 }),
  feePips: () => 0,

  details: ({ order, signature }) => ({
    maker: order.maker,
    taker: order.taker,
    makerToken: order.makerToken,
    takerToken: order.takerToken,
    makerAmount: `${order.makerAmount}`,
    takerAmount: `${order.takerAmount}`,
    nonce: `${order.salt}`,
    deadline: `${order.expiry}`,
    signature,
  }),

  graphRouter: {
    // `MakerOrders` has the swap function of a concentrated pool.
    hopBits: () => 1n << 184n,
    paidUpstream: 'exact-output',
    quote: ({ order, signature }) => [
      ...ORDER_FIELDS.map(({ name }) => BigInt(order[name])),
      BigInt(signature.slice(0, 66)),
      BigInt(`0x${signature.slice(66, 130)}`),
      BigInt(`0x${signature.slice(130)}`),
    ],
  },
  universalRouter: undefined,
} satisfies Omit<PoolFamily<MakerOrderPool>, 'schema' | 'parse' | 'live'>;

/** Returns an unfilled order as a pool. `address` is the address of the `MakerOrders` contract. */
export function poolOf(
  address: Address,
  order: MakerOrder,
  signature: `0x${string}`,
): MakerOrderPool {
  const [token0, token1] = [order.makerToken, order.takerToken].sort() as [Address, Address];
  const identity = { address, source: MAKER_SOURCE, token0, token1, feePips: 0 };
  return { family: 'maker-order', ...identity, order, signature, available: order.takerAmount };
}
