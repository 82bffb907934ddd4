import { createRandom } from '../../conformance/model/random.ts';
import type { Market } from '../../reference/market/market.ts';
import { type Address, parseAddress } from '../../reference/planner/domain/address.ts';
import type { Pool } from '../../reference/planner/pools/families.ts';
import type { Tick } from '../../reference/planner/pools/swap-steps.ts';
import { tickAtSqrtRatio } from '../../reference/planner/pools/tick-math.ts';

type NetworkShape = {
  readonly pools: number;
  readonly tokens: number;
  readonly seed: number;
  /**
   * Maximum error of a pool's price, as a multiple of its fee. At 1 or less, no cycle of trades is
   * profitable.
   */
  readonly mispricing: number;
  readonly tiers?: FeeTiers;
};

/**
 * Fees in millionths: one fee for pairs, and several for concentrated pools, each with a tick
 * spacing. A tier that is listed twice is twice as frequent.
 */
export type FeeTiers = {
  readonly pair: number;
  readonly ranges: readonly (readonly [feePips: number, tickSpacing: number])[];
};

const UNISWAP_TIERS: FeeTiers = {
  pair: 3000,
  ranges: [
    [100, 1],
    [500, 10],
    [500, 10],
    [3000, 60],
    [3000, 60],
    [3000, 60],
    [10_000, 200],
  ],
};

/** A random market, for trades worth a few dollars to a few million dollars. */
export type Network = {
  readonly market: Market;
  /** Returns the amount of a token, in base units, that is worth the given dollars. */
  readonly unitsFor: (token: Address, dollars: number) => bigint;
};

const DECIMALS = [18, 18, 18, 18, 6, 6, 8];
const MAX_UNIT_PRICE_LOG10 = -6;
const PRICE = { from: -4, to: 5 };
const DEPTH = { from: 4, to: 8 };

/**
 * Returns a random network from a seed. As on real chains, token `i` is in about `1 / i` as many
 * pools as the first token. Every token is in at least one pool. Half of the pools are pairs, and
 * the other half are concentrated, with one to five positions.
 */
export function networkOf({
  pools,
  tokens,
  seed,
  mispricing,
  tiers = UNISWAP_TIERS,
}: NetworkShape): Network {
  const random = createRandom(seed);
  const between = (from: number, to: number) => from + random() * (to - from);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const addresses = Array.from({ length: tokens }, (_, i) => addressOf(1, i));
  const decimals = addresses.map(() => pick(DECIMALS));
  const unitUsd = decimals.map(
    (places) =>
      10 ** (between(PRICE.from, Math.min(PRICE.to, MAX_UNIT_PRICE_LOG10 + places)) - places),
  );
  const anyToken = () => Math.floor((tokens + 1) ** random()) - 1;
  const poolAt = (index: number): Pool => {
    const one = index > 0 && index < tokens ? index : anyToken();
    let other = index < tokens ? Math.min(anyToken(), Math.max(0, index - 1)) : anyToken();
    while (other === one) other = anyToken();
    const [zero = 0, last = 0] = [one, other].sort((a, b) => a - b);
    const isPair = random() < 0.5;
    const [feePips, tickSpacing] = isPair ? [tiers.pair, 1] : pick(tiers.ranges);
    const skew = between(-1, 1) * mispricing * -Math.log1p(-feePips / 1e6);
    const price = ((unitUsd[zero] ?? 1) / (unitUsd[last] ?? 1)) * Math.exp(skew);
    const units = 10 ** between(DEPTH.from, DEPTH.to) / (unitUsd[zero] ?? 1) + 1e3;
    const [token0, token1] = [addressOf(1, zero), addressOf(1, last)];
    const identity = { address: addressOf(2, index), token0, token1, feePips };
    if (isPair) {
      const reserves = {
        reserve0: BigInt(Math.ceil(units)),
        reserve1: BigInt(Math.ceil(units * price)),
      };
      return { family: 'constant-product', source: 'Pairs', ...identity, ...reserves };
    }
    const sqrtPriceX96 = BigInt(Math.round(Math.sqrt(price) * 2 ** 48)) * 2n ** 48n;
    const positions = Array.from({ length: 1 + Math.floor(random() * 5) }, () => ({
      width: 10 ** between(0, 2.5),
      offset: between(-0.5, 1.5),
      liquidity: BigInt(Math.ceil(units * Math.sqrt(price) * 10 ** between(-0.5, 0.5))),
    }));
    return {
      family: 'concentrated',
      source: 'Ranges',
      ...identity,
      tickSpacing,
      ...concentratedAt(sqrtPriceX96, tickSpacing, positions),
    };
  };
  const market: Market = {
    chainId: 1,
    name: `${pools} pools, ${tokens} tokens`,
    block: { number: 1, timestamp: 1, hash: `0x${'1'.repeat(64)}` },
    usdToken: addressOf(1, 0),
    wrappedNative: addressOf(1, 0),
    tokens: new Map(
      addresses.map((address, i) => [
        address,
        { address, name: `T${i}`, symbol: `T${i}`, decimals: decimals[i] ?? 18, logoURI: 'data:,' },
      ]),
    ),
    pools: Array.from({ length: pools }, (_, index) => poolAt(index)),
    routers: [],
  };
  const unitsFor = (token: Address, dollars: number) =>
    BigInt(Math.ceil(dollars / (unitUsd[addresses.indexOf(token)] ?? 1)));
  return { market, unitsFor };
}

type Position = { readonly width: number; readonly offset: number; readonly liquidity: bigint };

function concentratedAt(sqrtPriceX96: bigint, spacing: number, positions: readonly Position[]) {
  const tick = tickAtSqrtRatio(sqrtPriceX96);
  const net = new Map<number, bigint>();
  const gross = new Map<number, bigint>();
  let liquidity = 0n;
  for (const { width, offset, liquidity: added } of positions) {
    const half = Math.max(1, Math.round((width * 60) / spacing));
    const center = Math.round(tick / spacing + (offset - 0.5) * half);
    const [low, high] = [(center - half) * spacing, (center + half) * spacing];
    if (low <= tick && tick < high) liquidity += added;
    for (const [index, change] of [
      [low, added],
      [high, -added],
    ] as const) {
      net.set(index, (net.get(index) ?? 0n) + change);
      gross.set(index, (gross.get(index) ?? 0n) + added);
    }
  }
  const ticks = [...net].sort(([a], [b]) => a - b);
  return {
    sqrtPriceX96,
    tick,
    liquidity,
    ticks: ticks.map(
      ([index, liquidityNet]): Tick => ({
        index,
        liquidityGross: gross.get(index) ?? 0n,
        liquidityNet,
      }),
    ),
  };
}

function addressOf(kind: number, index: number): Address {
  return parseAddress(`0x${(kind * 2 ** 32 + index).toString(16).padStart(40, '0')}`);
}
