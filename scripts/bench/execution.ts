import { chooseRequests, USER } from '../../conformance/execution/choose-requests.ts';
import { openForkSession } from '../../conformance/execution/fork-session.ts';
import { quantity } from '../../conformance/execution/json-rpc.ts';
import { callOf, needsOf, type PlannedTrade } from '../../conformance/execution/planned-trade.ts';
import { readSwapPlan } from '../../conformance/execution/read-swap-plan.ts';
import { tryTrades } from '../../conformance/execution/try-trades.ts';
import { targetOf } from '../../conformance/model/trade-request.ts';
import { startReferenceBench } from '../tests/helpers/reference-bench.testing.ts';
import { compareRates, printHead, printRow } from './kit.ts';
import { countNodeCalls } from './node-calls.ts';

/*
 * npm run bench:execution: plans executed a second in bulk on a fork, their
 * balances measured, beside a bare eth_call of the same calldata on the same node;
 * and how many calls a whole execution makes of the chains' nodes, on chains that
 * stand still and on chains that make a block every two seconds.
 */

const CHAIN = 31337;
const PLANS = 96;
const REPEATS = 4;
const CONCURRENCY = 16;
const LEAST_RATIO = 0.6;
/** Six times as often as on mainnet: a run on this machine would see but a block or two there. */
const BLOCK_MS = 2_000;
const MOST_CALLS = 1_500;
const MOST_CALLS_RATIO = 1.5;

const reference = await startReferenceBench([CHAIN]);
const service = await reference.session();
const [source] = reference.sources;
const market = service.facts.markets.get(CHAIN);
if (source === undefined || market === undefined) throw new Error(`chain ${CHAIN} is not served`);
const tradeRequests = chooseRequests(market, 1, PLANS);
const session = await openForkSession({
  source,
  info: service.facts.chainInfo.get(CHAIN),
  listed: (service.facts.tokens.get(CHAIN) ?? []).map(({ address }) => address),
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
  await session.stop();
  await reference.stop();
}

const still = await countNodeCalls();
const moving = await countNodeCalls(BLOCK_MS);
const callsRatio = moving.calls / still.calls;
process.stdout.write('\n');
printHead(['both fixture chains', 'calls of nodes', 'blocks', 'plans', 'seconds']);
for (const [name, { calls, blocks, plans, seconds }] of Object.entries({ still, moving })) {
  printRow([name, calls, blocks, plans, seconds.toFixed(1)]);
}
process.stdout.write(
  `\nratio ${callsRatio.toFixed(2)}, at most ${MOST_CALLS_RATIO} wanted; ${MOST_CALLS} calls at most\n`,
);
if (callsRatio > MOST_CALLS_RATIO || Math.max(still.calls, moving.calls) > MOST_CALLS) {
  process.exitCode = 1;
}

async function planTrades(): Promise<readonly PlannedTrade[]> {
  const trades: PlannedTrade[] = [];
  for (const request of tradeRequests) {
    const plan = readSwapPlan(await service.get(targetOf(request)));
    if (plan?.transaction === undefined) continue;
    trades.push({ request, plan, transaction: plan.transaction });
  }
  await session.prepare(needsOf(trades));
  return trades;
}

async function executeInBulk(trades: readonly PlannedTrade[]): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000);
  const trials = await tryTrades(
    session,
    trades.map((trade) => ({ ...trade, timestamp })),
  );
  const failed = trials.filter((trial) => trial?.effects.kind !== 'settled');
  if (failed.length > 0) throw new Error(`${failed.length} of ${trades.length} plans failed`);
}

async function callBarely(trades: readonly PlannedTrade[]): Promise<void> {
  const rpc = session.rpc();
  const queue = trades.values();
  const work = async (): Promise<void> => {
    for (const trade of queue) {
      const { to, data, value } = callOf(trade);
      await rpc('eth_call', [{ from: USER, to, data, value: quantity(value) }, 'latest']);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}
