import { createRandom } from '../../conformance/model/random.ts';
import type { Market } from '../../reference/market/market.ts';
import { createPlanner } from '../../reference/planner/planner.ts';
import type { Pool } from '../../reference/planner/pools/families.ts';
import { median, printHead, printRow, quantile, ROUNDS } from './kit.ts';
import { type FeeTiers, networkOf } from './networks.ts';
import { arePeersInstalled, type Planner, peerPlanner, type Trade } from './peer-process.ts';
import { boundOf, sourcesOf } from './routing-baselines.ts';

const planRoute = createPlanner();

/*
 * npx tsx scripts/bench/routing-peers.ts [POOLS/TOKENS ...], also run by npm run bench:routing for
 * its second table. Compares our planner with other routers on the same random pools, in one run.
 * Measures the planning time of any trade, of the first trade of a pair, of the first trade in a
 * new market, and of a trade after a pool has changed. Also measures how far plans are below the
 * dual bound. Executes the plans of the other routers on the same pools. Trades without a plan are
 * excluded from the times.
 */

const SIZES = { pools: [50, 200, 500, 2_000], tokens: [10, 30, 100] } as const;
/** The only fee tiers that PancakeSwap's router supports. */
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
/** Time after which a peer receives no further trades in a network. */
const PEER_BUDGET_MS = 4_000;
const DOLLARS = { from: 3, to: 6 };

if (!arePeersInstalled()) {
  process.stderr.write(
    'The other routers are not installed: run `npm install` in scripts/bench/peers first.\n',
  );
} else {
  const pancake = peerPlanner('pancake');
  const uniswap = peerPlanner('uniswap');
  printHead([
    'pools / tokens, planner',
    'p50 ms',
    'p95',
    'p99',
    'first of a pair',
    'the slowest',
    'first of a market',
    'after a change',
    'below the bound p50',
    'most',
    'found',
  ]);
  for (const pools of SIZES.pools) {
    for (const tokens of SIZES.tokens) {
      const selected = process.argv.slice(2);
      if (selected.length > 0 && !selected.includes(`${pools}/${tokens}`)) continue;
      const network = drawNetwork(pools, tokens);
      const label = `${pools.toLocaleString('en-US')} / ${tokens}`;
      await compare(`${label}, this planner`, ours(), network, { rounds: ROUNDS });
      await compare(`${label}, smart-router`, pancake, network, {});
      await compare(`${label}, v2-sdk`, uniswap, network, { family: 'constant-product' });
    }
  }
  for (const peer of [pancake, uniswap]) peer.stop();
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

function ours(): Planner {
  let market: Market;
  return {
    setMarket: (next) => {
      market = next;
    },
    plan: ({ sellToken, buyToken, amountIn }) => {
      const constraints = { sources: sourcesOf(market), topology: 'graph' } as const;
      const request = { sellToken, buyToken, swapKind: 'exact-input', amount: amountIn } as const;
      const start = performance.now();
      const plan = planRoute(market, { ...request, constraints });
      const ms = performance.now() - start;
      return { ms, bought: plan.kind === 'plan' ? plan.buyAmount : undefined };
    },
  };
}

type CompareOptions = {
  readonly rounds?: number;
  /** Family of the pools that the planner and the bound use. Default: all. */
  readonly family?: Pool['family'];
};

async function compare(
  label: string,
  planner: Planner,
  { draw, trades, ofOtherPairs }: Drawn,
  { rounds = 1, family }: CompareOptions,
): Promise<void> {
  const known = (market: Market): Market =>
    family ? { ...market, pools: market.pools.filter((pool) => pool.family === family) } : market;
  const market = known(draw());
  await planner.setMarket(market);
  const deadline = performance.now() + PEER_BUDGET_MS;
  const isLate = () => rounds === 1 && performance.now() > deadline;
  const times: number[] = [];
  const gaps: number[] = [];
  let requested = 0;
  for (const trade of trades) {
    if (requested > 0 && isLate()) break;
    requested++;
    let shortest = Number.POSITIVE_INFINITY;
    let bought: bigint | undefined;
    let varied = trade;
    // The first round is a warm-up. Each round sells slightly more, so that results cached for an
    // earlier amount are useless.
    for (let round = rounds === 1 ? 1 : 0; round <= rounds; round++) {
      varied = { ...trade, amountIn: trade.amountIn + (trade.amountIn * BigInt(round)) / 1_000n };
      const planned = await planner.plan(varied);
      bought = planned?.bought;
      if (round > 0 && planned) shortest = Math.min(shortest, planned.ms);
    }
    if (bought === undefined) continue;
    times.push(shortest);
    gaps.push(Math.max(0, 1 - Number(bought) / boundOf(market, varied)));
  }
  const first =
    times.length === 0 ? [] : await timesOf(planner, ofOtherPairs, () => market, isLate);
  const few = trades.slice(0, FEW);
  const fresh = times.length === 0 ? [] : await timesOf(planner, few, () => known(draw()), isLate);
  const changed =
    times.length === 0
      ? []
      : await timesOf(planner, few, (at) => withChange(market, at), isLate, market);
  const ms = (value: number) => (Number.isNaN(value) ? '' : value.toFixed(2));
  printRow([
    label,
    ...[0.5, 0.95, 0.99].map((part) => ms(quantile(times, part))),
    ms(median(first)),
    ms(quantile(first, 1)),
    ms(median(fresh)),
    ms(median(changed)),
    ...[0.5, 1].map((part) => (gaps.length === 0 ? '' : quantile(gaps, part).toExponential(1))),
    `${times.length} of ${requested}`,
  ]);
}

/**
 * Returns the planning times of trades that have a plan. If `before` is given, plans each trade in
 * that market first.
 */
async function timesOf(
  planner: Planner,
  trades: readonly Trade[],
  marketAt: (at: number) => Market,
  isLate: () => boolean,
  before?: Market,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (const [at, trade] of trades.entries()) {
    if (times.length > 0 && isLate()) break;
    if (before !== undefined) {
      await planner.setMarket(before);
      await planner.plan(trade);
    }
    await planner.setMarket(marketAt(at));
    const planned = await planner.plan(trade);
    if (planned?.bought !== undefined) times.push(planned.ms);
  }
  return times;
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
