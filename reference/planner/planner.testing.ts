import fc from 'fast-check';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import { certify } from './certificate.ts';
import { type Address, parseAddress } from './domain/address.ts';
import { type FlowProblem, flowProblemOf } from './dual/flow-problem.ts';
import type { Arc } from './graph/arc.ts';
import { MarketGraph, type Subgraph } from './graph/market-graph.ts';
import type { Network } from './graph/network.ts';
import type {
  NoRoute,
  ProvenPlan,
  RoutingConstraints,
  RoutingPlan,
  RoutingRequest,
  SwapKind,
  Topology,
} from './graph/plan.ts';
import { Path } from './paths/path.ts';
import { createPlanner } from './planner.ts';
import type { Pool } from './pools/families.ts';
import { keyOf } from './pools/pool.ts';
import { heldOf, roundingOf } from './pools/pools.testing.ts';
import type { Tick } from './pools/swap-steps.ts';
import { sqrtRatioAtTick } from './pools/tick-math.ts';
import type { PoolMarket } from './prices/pool-market.ts';

const plan = createPlanner();

/** Returns token number `index` of a test market. `tokenOf(0) < tokenOf(1)`. */
export function tokenOf(index: number): Address {
  return parseAddress(`0x${(index + 1).toString(16).padStart(40, '0')}`);
}

/** Returns a market of these pools. Their source is `Test`. */
export function marketOf(pools: readonly Pool[]): PoolMarket {
  return {
    chainId: 1,
    usdToken: tokenOf(0),
    wrappedNative: tokenOf(0),
    tokens: new Map(),
    pools,
  };
}

/**
 * Returns the embedded markets without the pools of the Vault, whose contracts round powers by more
 * than a base unit.
 */
export function marketsToTheUnit(): readonly PoolMarket[] {
  const isExact = ({ family }: Pool) => family !== 'weighted' && family !== 'stable';
  return loadEmbeddedMarkets().map((market) => ({
    ...market,
    pools: market.pools.filter(isExact),
  }));
}

/**
 * Returns the maximum amount by which rounding in the Vault's contracts may overcharge a plan, in
 * base units of the buy token. Sums the documented rounding errors of powers and invariants, valued
 * at the certificate's prices.
 */
export function roundedByVault(
  market: PoolMarket,
  request: RoutingRequest,
  plan: RoutingPlan,
): number {
  const swaps = plan.swaps.filter(({ pool }) => 'balances' in pool);
  if (swaps.length === 0) return 0;
  const { prices } = certify(market, request, plan);
  return swaps.reduce((sum, { pool, tokenIn, amountIn }) => {
    const rounded = roundingOf(heldOf(pool, tokenIn) + amountIn);
    return sum + Number(rounded) * (prices.get(tokenIn) ?? 0);
  }, 0);
}

/** Returns the constraints of a router that can settle all pools of the market. */
export function constraintsOf(
  market: PoolMarket,
  topology: Topology = 'graph',
): RoutingConstraints {
  return { sources: new Set(market.pools.map(({ source }) => source)), topology };
}

/** The tokens that test markets trade: the first and the last of four. */
export const SELL = tokenOf(0);
export const BUY = tokenOf(3);

/** Returns the arcs of all pools of the market between `SELL` and `BUY`. */
export function tradedSubgraph(market: PoolMarket): Subgraph {
  return new MarketGraph(market.pools).between(constraintsOf(market).sources, SELL, BUY);
}

/** Returns every path between `SELL` and `BUY`. */
export function allPathsOf(market: PoolMarket): readonly Path[] {
  const { arcs } = tradedSubgraph(market);
  const from = (token: Address, walk: readonly Arc[]): Path[] => {
    if (token === BUY) return walk.length === 0 ? [] : [new Path(walk)];
    return arcs
      .filter(
        (arc) =>
          arc.tokenIn === token &&
          walk.every(({ tokenIn, pool }) => tokenIn !== arc.tokenOut && pool !== arc.pool),
      )
      .flatMap((arc) => from(arc.tokenOut, [...walk, arc]));
  };
  return from(SELL, []);
}

export function problemOf(market: PoolMarket): FlowProblem {
  return flowProblemOf(tradedSubgraph(market));
}

/** Returns the plan from `SELL` to `BUY`. By default, all pools may be used and gas is ignored. */
export function planFor(
  market: PoolMarket,
  swapKind: SwapKind,
  amount: bigint,
  request: Partial<RoutingRequest> = {},
): ProvenPlan | NoRoute {
  const constraints = constraintsOf(market);
  const defaults = { sellToken: SELL, buyToken: BUY, constraints, gasPriceWei: 0n };
  return plan(market, { ...defaults, ...request, swapKind, amount });
}

let pools = 0;

function poolIdentity(token0: number, token1: number, feePips: number) {
  pools += 1;
  const address = parseAddress(`0x${pools.toString(16).padStart(40, 'f')}`);
  return { address, source: 'Test', token0: tokenOf(token0), token1: tokenOf(token1), feePips };
}

export function pairPool(
  [token0, token1]: readonly [number, number],
  reserve0: bigint,
  reserve1: bigint,
): Pool {
  return { family: 'constant-product', ...poolIdentity(token0, token1, 3000), reserve0, reserve1 };
}

/** Returns a pool with two ranges of liquidity around `tick`, one wide and one narrow. */
export function rangePool(
  [token0, token1]: readonly [number, number],
  tick: number,
  liquidity: bigint,
): Pool {
  const center = Math.round(tick / 60) * 60;
  const edge = (index: number, net: bigint): Tick => ({
    index,
    liquidityGross: net < 0n ? -net : net,
    liquidityNet: net,
  });
  return {
    family: 'concentrated',
    ...poolIdentity(token0, token1, 500),
    tickSpacing: 60,
    sqrtPriceX96: sqrtRatioAtTick(tick),
    tick,
    liquidity: liquidity * 2n,
    ticks: [
      edge(center - 6000, liquidity),
      edge(center - 600, liquidity),
      edge(center + 600, -liquidity),
      edge(center + 6000, -liquidity),
    ],
  };
}

/** Two of the four tokens. */
export const anyPair = fc.constantFrom<readonly [number, number]>(
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
);

/**
 * Markets of four tokens in which all pools have nearly the same prices, so that splitting pays.
 * Token `i` is worth `values[i]` to within a percent.
 */
export const anyMarket: fc.Arbitrary<PoolMarket> = marketWithin(100, 2);

/**
 * Markets like `anyMarket` in which prices differ by less than the fees, so that no cycle is
 * profitable.
 */
export const anyFairMarket: fc.Arbitrary<PoolMarket> = marketWithin(2, 4);

function marketWithin(maxSkewTicks: number, minPools: number): fc.Arbitrary<PoolMarket> {
  const spec = fc.record({
    tokens: anyPair,
    isPair: fc.boolean(),
    depth: fc.integer({ min: 1, max: 2000 }),
    skewTicks: fc.integer({ min: -maxSkewTicks, max: maxSkewTicks }),
  });
  return fc
    .array(spec, { minLength: minPools, maxLength: 9 })
    .map((specs) => marketOf(specs.map(poolOfSpec)));
}

const TICKS = [0, 5000, -3000, 800];

function poolOfSpec(spec: {
  readonly tokens: readonly [number, number];
  readonly isPair: boolean;
  readonly depth: number;
  readonly skewTicks: number;
}): Pool {
  const [token0, token1] = spec.tokens;
  const tick = (TICKS[token0] ?? 0) - (TICKS[token1] ?? 0) + spec.skewTicks;
  const reserve = BigInt(spec.depth) * 10n ** 21n;
  if (!spec.isPair) return rangePool(spec.tokens, tick, reserve * 4n);
  const price = Math.round(1.0001 ** tick * 1e9);
  return pairPool(spec.tokens, reserve, (reserve * BigInt(price)) / 1_000_000_000n);
}

/** Returns the faults of a plan; none if it is valid. */
export function faultsOf(plan: RoutingPlan): string[] {
  const faults: string[] = [];
  const balances = new Map<Address, bigint>([[plan.sellToken, plan.sellAmount]]);
  const used = new Set<string>();
  const nameOf = (pool: Pool) => `${pool.address} ${keyOf(pool)}`;
  const sold = new Set<Address>();
  for (const { pool, tokenIn, tokenOut, amountIn, amountOut } of plan.swaps) {
    if (used.has(nameOf(pool))) faults.push(`pool ${keyOf(pool)} is used twice`);
    if (amountIn <= 0n || amountOut <= 0n) faults.push(`pool ${pool.address} moves nothing`);
    if (tokenOut === plan.sellToken) faults.push('a swap into the sell token');
    if (tokenIn === plan.buyToken) faults.push('a swap out of the buy token');
    used.add(nameOf(pool));
    sold.add(tokenIn);
    balances.set(tokenIn, (balances.get(tokenIn) ?? 0n) - amountIn);
    balances.set(tokenOut, (balances.get(tokenOut) ?? 0n) + amountOut);
  }
  for (const [token, balance] of balances) {
    const expected = token === plan.buyToken ? plan.buyAmount : 0n;
    if (balance !== expected) faults.push(`${token} is off by ${balance - expected}`);
  }
  if (isCyclic(plan, [...sold])) faults.push('the tokens form a cycle');
  return faults;
}

function isCyclic({ swaps }: RoutingPlan, tokens: readonly Address[]): boolean {
  let left = tokens;
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    left = left.filter((token) =>
      swaps.some(({ tokenIn, tokenOut }) => tokenOut === token && left.includes(tokenIn)),
    );
  }
  return left.length > 0;
}

/**
 * Two pools lead into token 1, and two lead from it to token 3. The second pool of each pair is
 * small. The last of all pools is so small that it runs out.
 */
export function diamond(): Network {
  const market = marketOf([
    pairPool([0, 1], 10n ** 21n, 10n ** 21n),
    rangePool([0, 1], 0, 10n ** 22n),
    pairPool([1, 3], 10n ** 21n, 10n ** 21n),
    rangePool([1, 3], 0, 10n ** 18n),
  ]);
  const { arcs } = tradedSubgraph(market);
  const links = (token: number, to: number) =>
    arcs
      .filter((arc) => arc.tokenIn === tokenOf(token))
      .map((arc, index) => ({ arc, to, weight: index === 0 ? 3n : 1n }));
  return { nodes: [links(0, 1), links(1, 2), []] };
}
