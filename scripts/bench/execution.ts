import { requestOf } from '../../conformance/execution/ask.ts';
import { openBench } from '../../conformance/execution/bench.ts';
import { chooseAsks, USER } from '../../conformance/execution/choose-asks.ts';
import { quantity } from '../../conformance/execution/json-rpc.ts';
import { mostSold } from '../../conformance/execution/limits.ts';
import { replayAll } from '../../conformance/execution/replay.ts';
import { callOf, replayRequest, type Trade } from '../../conformance/execution/settle.ts';
import { type Address, readSwapPlan } from '../../conformance/execution/swap-plan.ts';
import { startReferenceBench } from '../reference-bench.testing.ts';
import { compareRates } from './kit.ts';

/*
 * npm run bench:execution: plans executed a second in bulk on a fork, their
 * balances measured, beside a bare eth_call of the same calldata on the same node.
 */

const CHAIN = 31337;
const PLANS = 96;
const REPEATS = 4;
const CONCURRENCY = 16;
const LEAST_RATIO = 0.6;

const reference = await startReferenceBench([CHAIN]);
const session = await reference.session();
const [source] = reference.sources;
const market = session.facts.markets.get(CHAIN);
if (source === undefined || market === undefined) throw new Error(`chain ${CHAIN} is not served`);
const asks = chooseAsks(market, 1, PLANS);
const bench = await openBench({
  source,
  info: session.facts.chainInfo.get(CHAIN),
  listed: (session.facts.tokens.get(CHAIN) ?? []).map(({ address }) => address),
  user: USER,
  clock: Date.now,
});

try {
  const trades = await planTrades();
  const repeated = Array.from({ length: REPEATS }, () => trades).flat();
  process.stdout.write(
    `${trades.length} plans of three routers on a fork, ${CONCURRENCY} at once\n\n`,
  );
  const rates = await compareRates('plans', repeated.length, {
    'in bulk': () => executeInBulk(repeated),
    'bare eth_call': () => callBarely(repeated),
  });
  const ratio = rates['in bulk'].wall / rates['bare eth_call'].wall;
  process.stdout.write(`\nratio ${ratio.toFixed(2)}, at least ${LEAST_RATIO} wanted\n`);
  if (!(ratio >= LEAST_RATIO)) process.exitCode = 1;
} finally {
  await bench.stop();
  await reference.stop();
}

async function planTrades(): Promise<readonly Trade[]> {
  const trades: Trade[] = [];
  for (const ask of asks) {
    const plan = readSwapPlan(await session.get(requestOf(ask)));
    if (plan?.settlement !== undefined) trades.push({ ask, plan, settlement: plan.settlement });
  }
  const needs = new Map<Address, bigint>();
  for (const { ask, plan } of trades) {
    const most = mostSold(ask, plan);
    if (most > (needs.get(plan.sell.token) ?? 0n)) needs.set(plan.sell.token, most);
  }
  await bench.prepare(needs);
  return trades;
}

async function executeInBulk(trades: readonly Trade[]): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000);
  const requests = trades.map((trade) => replayRequest(bench, { ...trade, timestamp }));
  const replays = await replayAll(bench.rpc(), requests, CONCURRENCY);
  const failed = replays.filter((each) => each.kind !== 'replayed' || !each.success);
  if (failed.length > 0) throw new Error(`${failed.length} of ${trades.length} plans failed`);
}

async function callBarely(trades: readonly Trade[]): Promise<void> {
  const rpc = bench.rpc();
  const queue = trades.values();
  const work = async (): Promise<void> => {
    for (const trade of queue) {
      const { to, data, value } = callOf(trade);
      await rpc('eth_call', [{ from: USER, to, data, value: quantity(value) }, 'latest']);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}
