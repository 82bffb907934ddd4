import { createRandom } from '../../conformance/model/random.ts';
import { ascending, quantileOf } from '../../conformance/model/statistics.ts';
import { loadEmbeddedMarkets } from '../../reference/market/embedded-markets.ts';
import type { Market } from '../../reference/market/market.ts';
import { flowProblemOf } from '../../reference/planner/dual/flow-problem.ts';
import { MarketGraph } from '../../reference/planner/graph/market-graph.ts';
import type { RoutingConstraints } from '../../reference/planner/graph/plan.ts';
import { createPlanner } from '../../reference/planner/planner.ts';
import { printHead, printRow, ROUNDS, takeTurns } from './kit.ts';
import { bestSinglePath, boundOf, type Trade as Sale, sourcesOf } from './routing-baselines.ts';

const planner = createPlanner();

/*
 * [BENCH_TRADES=300] npm run bench:routing: measures planning times, and how far plans are below
 * the upper bound on all plans. Compares our planner, for any acyclic plan and for disjoint paths,
 * with the best single path. All planners receive the same trades in the embedded markets, in
 * turns, in one process, and with warm caches. They ignore gas.
 */

type Trade = Sale & { readonly market: Market };

type Planner = (trade: Trade) => bigint;

type Planned = { readonly bought: bigint; readonly ms: number };

/** The percentiles of slow trades need 300 trades. */
const TRADES = Number(process.env['BENCH_TRADES'] ?? 24);
const DECADES = { from: -5, to: 1 };
/** Below this amount, in base units of either token, rounding hides the differences. */
const MIN_AMOUNT = 1e9;

let reportAt = 0;
const trades = sampleTrades();
const bounds = trades.map((trade) => boundOf(trade.market, trade));
const planners = plannersToCompare();
const rounds = await takeTurns(
  Object.fromEntries(
    Object.entries(planners).map(([name, plan]) => {
      const timedPlan = timed(plan);
      const planAll = () =>
        trades.map((trade, at) => {
          reportProgress(`${name}: trade ${at + 1} of ${trades.length}`);
          return timedPlan(trade);
        });
      return [name, planAll];
    }),
  ),
);
process.stdout.write(
  `${trades.length} trades of pairs of the embedded markets, exact input, from 1e${DECADES.from} to 1e${DECADES.to} of the available output; the shortest time of ${ROUNDS} rounds\n\n`,
);
printHead([
  'planner',
  'p50 ms',
  'p99 ms',
  'below the bound p50',
  'p90',
  'p99',
  'most',
  'nothing found',
]);
for (const [name, planned] of Object.entries(rounds)) printPlanner(name, planned);

function reportProgress(what: string): void {
  const second = Math.floor(performance.now() / 1e3);
  if (second < reportAt) return;
  reportAt = second + 5;
  process.stderr.write(`${second} s: ${what}\n`);
}

function timed(plan: Planner): (trade: Trade) => Planned {
  return (trade) => {
    const start = performance.now();
    const bought = plan(trade);
    return { bought, ms: performance.now() - start };
  };
}

/** Prints the shortest times, because other work on the machine affects them least. */
function printPlanner(name: string, planned: readonly (readonly Planned[])[]): void {
  const times = trades.map((_, trade) =>
    Math.min(...planned.map((round) => round[trade]?.ms ?? Number.NaN)),
  );
  const bought = planned[0]?.map((one) => Number(one.bought)) ?? [];
  const gaps = bought
    .flatMap((amount, trade) => (amount > 0 ? [1 - amount / (bounds[trade] ?? 1)] : []))
    .map((gap) => Math.max(0, gap));
  printRow([
    name,
    ...[0.5, 0.99].map((part) => quantileOf(times.toSorted(ascending), part).toFixed(2)),
    ...[0.5, 0.9, 0.99, 1].map((part) =>
      quantileOf(gaps.toSorted(ascending), part).toExponential(1),
    ),
    bought.length - gaps.length,
  ]);
}

function plannersToCompare(): Readonly<Record<string, Planner>> {
  const ours = (topology: RoutingConstraints['topology']) => (trade: Trade) => {
    const { market, sellToken, buyToken, amountIn } = trade;
    const constraints = { sources: sourcesOf(market), topology };
    const plan = planner(market, {
      sellToken,
      buyToken,
      swapKind: 'exact-input',
      amount: amountIn,
      constraints,
      gasPriceWei: 0n,
    });
    return plan.kind === 'plan' ? plan.buyAmount : 0n;
  };
  return {
    'this router, any acyclic plan': ours('graph'),
    'this router, disjoint paths': ours('paths'),
    'best single path': ({ market, sellToken, buyToken, amountIn }) =>
      bestSinglePath(market)(sellToken, buyToken, amountIn),
  };
}

function sampleTrades(): Trade[] {
  const random = createRandom(1);
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
    reportProgress(`drawing trades: ${sampled.length} of ${TRADES}`);
    const decades = DECADES.from + random() * (DECADES.to - DECADES.from);
    const amount = pair.depth * 10 ** decades;
    if (amount < MIN_AMOUNT) continue;
    const trade = { ...pair, amountIn: BigInt(Math.ceil(amount)) };
    if (boundOf(pair.market, trade) >= MIN_AMOUNT) sampled.push(trade);
  }
  return sampled;
}

/**
 * Returns the input that buys everything in the last pools at the best rate; 0 if the tokens are
 * not connected.
 */
function depthOf({ market, sellToken, buyToken }: Omit<Trade, 'amountIn'>): number {
  const graph = new MarketGraph(market.pools);
  const { arcs, referenceLogPrice, sell } = flowProblemOf(
    graph.between(sourcesOf(market), sellToken, buyToken),
  );
  const last = arcs.filter(({ tokenOut }) => tokenOut === buyToken);
  const held = last.reduce((sum, { capacityOut }) => sum + capacityOut, 0);
  return held / Math.exp(referenceLogPrice[sell] ?? 0);
}
