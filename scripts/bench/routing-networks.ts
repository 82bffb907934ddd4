import { createRandom } from '../../conformance/model/random.ts';
import { ascending, medianOf, quantileOf } from '../../conformance/model/statistics.ts';
import type { Market } from '../../reference/market/market.ts';
import { createPlanner } from '../../reference/planner/planner.ts';
import type { Pool } from '../../reference/planner/pools/families.ts';
import { printHead, printRow, ROUNDS } from './kit.ts';
import { type FeeTiers, networkOf } from './networks.ts';
import { boundOf, sourcesOf, type Trade } from './routing-baselines.ts';

const planRoute = createPlanner();

/*
 * npx tsx scripts/bench/routing-networks.ts [POOLS/TOKENS ...], also run by npm run bench:routing
 * for its second table. Plans trades in random networks and measures the planning time of any
 * trade, of the first trade of a pair, of the first trade in a new market, and of a trade after a
 * pool has changed. Also measures how far plans are below the dual bound. Trades without a plan are
 * excluded.
 */

const SIZES = { pools: [50, 200, 500, 2_000], tokens: [10, 30, 100] } as const;
const TIERS: FeeTiers = {
  pair: 2500,
  ranges: [
    [100, 1],
    [500, 10],
    [2500, 50],
    [10_000, 200],
  ],
};
const TRADES = 40;
const FEW = 9;
const DOLLARS = { from: 3, to: 6 };

printHead([
  'pools / tokens',
  ...['p50 ms', 'p95', 'p99', 'first of a pair', 'the slowest', 'first of a market'],
  ...['after a change', 'below the bound p50', 'most', 'found'],
]);
const selected = process.argv.slice(2);
for (const pools of SIZES.pools) {
  for (const tokens of SIZES.tokens) {
    if (selected.length > 0 && !selected.includes(`${pools}/${tokens}`)) continue;
    measureNetwork(`${pools.toLocaleString('en-US')} / ${tokens}`, drawNetwork(pools, tokens));
  }
}

type Drawn = {
  readonly draw: () => Market;
  readonly trades: readonly Trade[];
  readonly ofOtherPairs: readonly Trade[];
};

function drawNetwork(pools: number, tokens: number): Drawn {
  const shape = { pools, tokens, seed: 1, mispricing: 0.9, tiers: TIERS };
  const { market, unitsFor } = networkOf(shape);
  const random = createRandom(2);
  const all = [...market.tokens.keys()];
  const any = () => all[Math.floor(random() * all.length)] ?? market.usdToken;
  const drawn = Array.from({ length: 2 * TRADES }, () => {
    const sellToken = any();
    let buyToken = any();
    while (buyToken === sellToken) buyToken = any();
    const dollars = 10 ** (DOLLARS.from + random() * (DOLLARS.to - DOLLARS.from));
    return { sellToken, buyToken, amountIn: unitsFor(sellToken, dollars) };
  });
  const pairOf = ({ sellToken, buyToken }: Trade) => `${sellToken} ${buyToken}`;
  const trades = drawn.slice(0, TRADES);
  const known = new Set(trades.map(pairOf));
  const others = new Map(
    drawn.filter((trade) => !known.has(pairOf(trade))).map((trade) => [pairOf(trade), trade]),
  );
  return { draw: () => networkOf(shape).market, trades, ofOtherPairs: [...others.values()] };
}

function plan(
  market: Market,
  { sellToken, buyToken, amountIn }: Trade,
): { readonly ms: number; readonly bought: bigint | undefined } {
  const constraints = { sources: sourcesOf(market), topology: 'graph' } as const;
  const request = { sellToken, buyToken, swapKind: 'exact-input', amount: amountIn } as const;
  const start = performance.now();
  const planned = planRoute(market, { ...request, constraints });
  const ms = performance.now() - start;
  return { ms, bought: planned.kind === 'plan' ? planned.buyAmount : undefined };
}

function measureNetwork(label: string, { draw, trades, ofOtherPairs }: Drawn): void {
  const market = draw();
  const times: number[] = [];
  const gaps: number[] = [];
  for (const trade of trades) {
    let shortest = Number.POSITIVE_INFINITY;
    let bought: bigint | undefined;
    let varied = trade;
    // The first round is a warm-up. Each round sells slightly more, so that results cached for an
    // earlier amount are useless.
    for (let round = 0; round <= ROUNDS; round++) {
      varied = { ...trade, amountIn: trade.amountIn + (trade.amountIn * BigInt(round)) / 1_000n };
      const planned = plan(market, varied);
      bought = planned.bought;
      if (round > 0) shortest = Math.min(shortest, planned.ms);
    }
    if (bought === undefined) continue;
    times.push(shortest);
    gaps.push(Math.max(0, 1 - Number(bought) / boundOf(market, varied)));
  }
  const few = trades.slice(0, FEW);
  const first = timesOf(ofOtherPairs, () => market);
  const fresh = timesOf(few, draw);
  const changed = timesOf(few, (trade, at) => {
    plan(market, trade);
    return withChange(market, at);
  });
  printRow([
    label,
    ...[0.5, 0.95, 0.99].map((part) => quantileOf(times.toSorted(ascending), part).toFixed(2)),
    medianOf(first).toFixed(2),
    quantileOf(first.toSorted(ascending), 1).toFixed(2),
    medianOf(fresh).toFixed(2),
    medianOf(changed).toFixed(2),
    ...[0.5, 1].map((part) => quantileOf(gaps.toSorted(ascending), part).toExponential(1)),
    `${times.length} of ${trades.length}`,
  ]);
}

/** Returns the planning times of trades that have a plan, each in the market from `marketFor`. */
function timesOf(
  trades: readonly Trade[],
  marketFor: (trade: Trade, at: number) => Market,
): readonly number[] {
  return trades.flatMap((trade, at) => {
    const { ms, bought } = plan(marketFor(trade, at), trade);
    return bought === undefined ? [] : [ms];
  });
}

/**
 * Returns a market in which one pool has slightly more liquidity. The other pools are the same
 * objects.
 */
function withChange(market: Market, at: number): Market {
  const place = (at * 7) % market.pools.length;
  const pools = market.pools.map((pool, index): Pool => {
    if (index !== place) return pool;
    if (pool.family !== 'constant-product') return { ...pool };
    return { ...pool, reserve0: pool.reserve0 + 1n };
  });
  return { ...market, pools };
}
