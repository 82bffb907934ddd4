import type { Address } from '../reference/domain/address.ts';
import { loadEmbeddedMarkets } from '../reference/market/embedded-markets.ts';
import type { Market } from '../reference/market/market.ts';
import { solveDual } from '../reference/routing/dual-solver.ts';
import { flowProblemOf } from '../reference/routing/flow-problem.ts';
import type { RouterCapability } from '../reference/routing/plan.ts';
import { planRoute } from '../reference/routing/plan-route.ts';
import { poolGraphOf } from '../reference/routing/pool-graph.ts';
import { bestSinglePath, equalChunks } from './routing-baselines.ts';

/*
 * npm run bench:routing [-- TRADES]: how long planning takes, and how far below
 * the dual bound, which no plan can better, what it finds. Beside our planner, for
 * any acyclic plan and for disjoint paths, the best single path and the split into
 * equal chunks, which is how it is commonly done. All plan the same trades of the
 * embedded markets, in turns and in one process, with everything kept that they
 * keep of a pair, so that the machine's drift does not decide.
 */

type Trade = {
  readonly market: Market;
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly sellAmount: bigint;
};

/** What a planner makes of one trade: base units bought. */
type Way = { readonly name: string; readonly plan: (trade: Trade) => bigint };

const TRADES = Number(process.argv[2] ?? 300);
/** From a hundred-thousandth of what there is to buy, at the best price, to ten times it. */
const DECADES = { from: -5, to: 1 };
/** Below this, in base units of either token, whole numbers cost more than is to be told apart. */
const LEAST_AMOUNT = 1e9;
const ROUNDS = 3;

const trades = sampleTrades();
const ways = waysToPlan();
const bounds = trades.map(boundOf);
const results = ways.map(() => trades.map(() => ({ bought: 0n, ms: Number.POSITIVE_INFINITY })));
for (let round = -1; round < ROUNDS; round++) {
  for (const [index, trade] of trades.entries()) {
    for (const [way, { plan }] of ways.entries()) {
      const start = performance.now();
      const bought = plan(trade);
      const ms = performance.now() - start;
      const result = results[way]?.[index];
      // The round before the first is the warm-up; the least time is that without other work.
      if (result !== undefined && round >= 0) {
        Object.assign(result, { bought, ms: Math.min(ms, result.ms) });
      }
    }
  }
}
process.stdout.write(
  [
    `${trades.length} trades of pairs of the embedded markets, exact input, from 1e${DECADES.from} to 1e${DECADES.to} of what there is to buy; the least time of ${ROUNDS} rounds`,
    '',
    '| planner | p50 ms | p99 ms | below the bound p50 | p90 | p99 | most | nothing found |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...ways.map(({ name }, way) => row(name, results[way] ?? [])),
    '',
  ].join('\n'),
);

function row(name: string, all: readonly { readonly bought: bigint; readonly ms: number }[]) {
  const times = all.map(({ ms }) => ms).sort((a, b) => a - b);
  const gaps = all
    .map(({ bought }, index) => 1 - Number(bought) / (bounds[index] ?? 1))
    .filter((_, index) => (all[index]?.bought ?? 0n) > 0n)
    .map((gap) => Math.max(0, gap))
    .sort((a, b) => a - b);
  const cells = [
    name,
    ...[0.5, 0.99].map((part) => at(times, part).toFixed(2)),
    ...[0.5, 0.9, 0.99, 1].map((part) => at(gaps, part).toExponential(1)),
    String(all.length - gaps.length),
  ];
  return `| ${cells.join(' | ')} |`;
}

function at(ascending: readonly number[], part: number): number {
  const index = Math.min(ascending.length - 1, Math.floor(part * ascending.length));
  return ascending[index] ?? Number.NaN;
}

function waysToPlan(): Way[] {
  const perMarket = <Made>(make: (market: Market) => Made) => {
    const made = new Map<Market, Made>();
    return (market: Market): Made => {
      const known = made.get(market) ?? make(market);
      made.set(market, known);
      return known;
    };
  };
  const single = perMarket(bestSinglePath);
  const chunks = (count: number) => perMarket((market) => equalChunks(market, count));
  const [few, many] = [chunks(20), chunks(100)];
  const ours = (shape: RouterCapability['shape']) => (trade: Trade) => {
    const { market, sellToken, buyToken, sellAmount } = trade;
    const capability = { sources: sourcesOf(market), shape };
    const plan = planRoute(market, {
      sellToken,
      buyToken,
      trade: { kind: 'exact-input', sellAmount },
      capability,
    });
    return plan.kind === 'plan' ? plan.buyAmount : 0n;
  };
  const of =
    (finder: typeof single) =>
    ({ market, sellToken, buyToken, sellAmount }: Trade) =>
      finder(market)(sellToken, buyToken, sellAmount);
  return [
    { name: 'this router, any acyclic plan', plan: ours('graph') },
    { name: 'this router, disjoint paths', plan: ours('paths') },
    { name: 'best single path', plan: of(single) },
    { name: '20 equal chunks', plan: of(few) },
    { name: '100 equal chunks', plan: of(many) },
  ];
}

function boundOf({ market, sellToken, buyToken, sellAmount }: Trade): number {
  const graph = poolGraphOf(market, sourcesOf(market));
  return solveDual(flowProblemOf(graph, sellToken, buyToken), Number(sellAmount)).bound;
}

function sourcesOf({ pools }: Market): ReadonlySet<string> {
  return new Set(pools.map(({ source }) => source));
}

/** Trades spread evenly over pairs and, by their logarithm, over amounts. */
function sampleTrades(): Trade[] {
  const random = generator(1);
  const pairs = loadEmbeddedMarkets()
    .flatMap((market) => {
      const tokens = [...market.tokens.keys()];
      return tokens.flatMap((sellToken) =>
        tokens
          .filter((token) => token !== sellToken)
          .map((buyToken) => ({ market, sellToken, buyToken })),
      );
    })
    .map((pair) => ({ ...pair, depth: depthOf(pair) }))
    .filter(({ depth }) => depth > 0);
  const sampled: Trade[] = [];
  while (sampled.length < TRADES) {
    const pair = pairs[Math.floor(random() * pairs.length)];
    if (pair === undefined) throw new Error('no pair of the embedded markets is connected');
    const decades = DECADES.from + random() * (DECADES.to - DECADES.from);
    const amount = pair.depth * 10 ** decades;
    if (amount < LEAST_AMOUNT) continue;
    const trade = { ...pair, sellAmount: BigInt(Math.ceil(amount)) };
    if (boundOf(trade) >= LEAST_AMOUNT) sampled.push(trade);
  }
  return sampled;
}

/** The input that at the best price buys what the last pools hold; 0 where no pools lead there. */
function depthOf({ market, sellToken, buyToken }: Omit<Trade, 'sellAmount'>): number {
  const graph = poolGraphOf(market, sourcesOf(market));
  const { hops, bestLogValue } = flowProblemOf(graph, sellToken, buyToken);
  const last = hops.filter(({ tokenOut }) => tokenOut === buyToken);
  const held = last.reduce((sum, { capacityOut }) => sum + capacityOut, 0);
  return held / Math.exp(bestLogValue[0] ?? 0);
}

/** Equal numbers from 0 to 1 at every run. @see https://en.wikipedia.org/wiki/Linear_congruential_generator */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
