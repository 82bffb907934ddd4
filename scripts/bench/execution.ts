import { accountsFrom } from '../../conformance/execution/accounts.ts';
import { chooseRequests } from '../../conformance/execution/choose-requests.ts';
import { createExecutor } from '../../conformance/execution/executor.ts';
import { openForkSession } from '../../conformance/execution/fork-session.ts';
import { createRpc, quantity } from '../../conformance/execution/json-rpc.ts';
import { startNodeProxy } from '../../conformance/execution/node-proxy.testing.ts';
import { readSwapPlan } from '../../conformance/execution/read-swap-plan.ts';
import { scenarioOf } from '../../conformance/execution/scenario.ts';
import { mine } from '../../conformance/execution/send.ts';
import { simulate, stateOf } from '../../conformance/execution/simulate.ts';
import type { Scenario } from '../../conformance/model/scenario.ts';
import type { EvidenceKind } from '../../conformance/model/settlement.ts';
import { targetOf } from '../../conformance/model/trade-request.ts';
import { startReferenceBench } from '../../fixtures/testing/reference-bench.testing.ts';
import { compareRates, printHead, printRow } from './kit.ts';

/*
 * npm run bench:execution: plans executed per second in bulk on a fork, with their balances,
 * compared with a bare eth_call of the same calldata on the same node; and the number of calls to
 * the nodes during an execution of all kinds, on chains without new blocks and on chains with one
 * every two seconds.
 */

const CHAIN = 31337;
const PLANS = 96;
const REPEATS = 4;
const CONCURRENCY = 16;
const MIN_RATIO = 0.6;
/** Six times as often as on mainnet, where a run would include only one or two blocks. */
const BLOCK_MS = 2_000;
const MAX_CALLS = 1_500;
const MAX_CALLS_RATIO = 1.5;

const KINDS: readonly EvidenceKind[] = [
  'as-returned',
  'sent-by-another',
  'price-moved',
  'through-pools',
];

const reference = await startReferenceBench([CHAIN]);
const service = await reference.session();
const [source] = reference.sources;
const market = service.facts.markets.get(CHAIN);
if (source === undefined || market === undefined) throw new Error(`chain ${CHAIN} is not served`);
const accounts = accountsFrom('bench');
const tradeRequests = chooseRequests(market, { seed: 1, accounts }, PLANS);
const session = await openForkSession({
  source,
  info: service.facts.chainInfo.get(CHAIN),
  listed: (service.facts.tokens.get(CHAIN) ?? []).map(({ address }) => address),
  accounts,
  clock: Date.now,
});

try {
  const trades = await planTrades();
  const repeated = Array.from({ length: REPEATS }, () => trades).flat();
  process.stdout.write(
    `${trades.length} plans of three routers on a fork, ${CONCURRENCY} concurrent\n\n`,
  );
  const rates = await compareRates('plans', repeated.length, {
    'in bulk': () => executeInBulk(repeated),
    'bare eth_call': () => callDirectly(repeated),
  });
  const ratio = rates['in bulk'].wall / rates['bare eth_call'].wall;
  process.stdout.write(`\nratio ${ratio.toFixed(2)}, expected at least ${MIN_RATIO}\n`);
  if (!(ratio >= MIN_RATIO)) process.exitCode = 1;
} finally {
  await session.stop();
  await reference.stop();
}

const still = await countNodeCalls();
const moving = await countNodeCalls(BLOCK_MS);
const callsRatio = moving.calls / still.calls;
process.stdout.write('\n');
printHead(['both fixture chains', 'calls to nodes', 'blocks', 'plans', 'seconds']);
for (const [name, { calls, blocks, plans, seconds }] of Object.entries({ still, moving })) {
  printRow([name, calls, blocks, plans, seconds.toFixed(1)]);
}
process.stdout.write(
  `\nratio ${callsRatio.toFixed(2)}, expected at most ${MAX_CALLS_RATIO}, and at most ${MAX_CALLS} calls\n`,
);
if (callsRatio > MAX_CALLS_RATIO || Math.max(still.calls, moving.calls) > MAX_CALLS) {
  process.exitCode = 1;
}

async function planTrades(): Promise<readonly Scenario[]> {
  const scenarios: Scenario[] = [];
  for (const request of tradeRequests) {
    const plan = readSwapPlan(await service.get(targetOf(request)));
    if (plan?.transaction === undefined) continue;
    const trade = { request, plan, transaction: plan.transaction };
    const scenario = await scenarioOf(session, trade, session.blockTimeIn(15));
    if (typeof scenario === 'string') throw new Error(scenario);
    scenarios.push(scenario);
  }
  return scenarios;
}

async function executeInBulk(scenarios: readonly Scenario[]): Promise<void> {
  await concurrently(scenarios, async (scenario) => {
    const { outcome, reason } = await simulate(session.fork(), scenario);
    if (outcome !== 'settled') throw new Error(`a plan failed: ${reason}`);
  });
}

async function callDirectly(scenarios: readonly Scenario[]): Promise<void> {
  const rpc = session.rpc();
  await concurrently(scenarios, async ({ trade: { from, to, data, value }, overrides }) => {
    const call = { from, to, data, value: quantity(value) };
    await rpc('eth_call', [call, 'latest', stateOf(overrides)]);
  });
}

async function concurrently(
  scenarios: readonly Scenario[],
  work: (scenario: Scenario) => Promise<void>,
): Promise<void> {
  const queue = scenarios.values();
  const workAll = async (): Promise<void> => {
    for (const scenario of queue) await work(scenario);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, workAll));
}

/**
 * Returns the number of calls to the nodes of the fixture chains while plans of the reference are
 * executed for all kinds of evidence; with `blockMs`, each chain makes a block at this interval.
 */
async function countNodeCalls(blockMs?: number) {
  const both = await startReferenceBench([31337, 31338]);
  const proxies = await Promise.all(both.sources.map(({ rpcUrl }) => startNodeProxy(rpcUrl)));
  const forks = both.sources.map(({ chainId }, index) => ({
    chainId,
    rpcUrl: proxies[index]?.url ?? '',
  }));
  let blocks = 0;
  const makeBlocks = async () => {
    blocks += 1;
    await Promise.all(both.sources.map(({ rpcUrl }) => mine(createRpc(rpcUrl))));
  };
  const timer = blockMs === undefined ? undefined : setInterval(makeBlocks, blockMs);
  const executor = createExecutor({ forks }, await both.session());
  const start = performance.now();
  let plans = 0;
  for (const kind of KINDS) {
    const execution = await executor.execute(kind);
    if (execution.kind !== 'executed') throw new Error(`${kind}: ${execution.why}`);
    plans += execution.items.length;
  }
  const seconds = (performance.now() - start) / 1000;
  clearInterval(timer);
  await executor.close();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await both.stop();
  const calls = proxies.reduce((sum, proxy) => sum + proxy.calls.length, 0);
  return { calls, blocks, plans, seconds };
}
