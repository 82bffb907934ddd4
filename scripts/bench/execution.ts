import { ClientRequest } from 'node:http';
import { createExecutor } from '../../conformance/execution/executor.ts';
import { GETH, startGeth } from '../../conformance/execution/node/geth.testing.ts';
import { createRpc } from '../../conformance/execution/node/json-rpc.ts';
import { startNodeProxy } from '../../conformance/execution/node/node-proxy.testing.ts';
import { runConformance } from '../../conformance/library/run-conformance.ts';
import type { SettleOn } from '../../conformance/service/fork-option.ts';
import { startReferenceBench } from '../../fixtures/testing/reference-bench.testing.ts';
import { startBuiltInReference } from '../cli/built-in-reference.ts';
import { printHead, printRow } from './kit.ts';

/*
 * npm run bench:execution: measures how long a standard run of the built-in reference takes to
 * settle plans, and how many JSON-RPC requests it sends to nodes and to Anvil. Also measures how
 * long plans take with Anvil and with geth as the node, near and 50 ms away, settled in Anvil and
 * on the node itself.
 */

const MAX_REQUESTS = 2_600;
const CHAIN = 31337;
const PLANS = 100;
const DELAYS_MS = [0, 50];

const { report, settlementMs, totalMs, requests } = await runStandard();
const { checks: plans } = report.rules.find(({ id }) => id === 'execution/settles') ?? {};
if (!plans) throw new Error('no plan was settled');
const total = sumOf(requests);
printHead(['JSON-RPC requests of a standard run', 'requests', 'per plan']);
for (const [method, count] of [...requests].toSorted(([, one], [, other]) => other - one)) {
  printRow([method, count, (count / plans).toFixed(2)]);
}
printRow(['all', total, (total / plans).toFixed(2)]);
const share = `${((100 * settlementMs) / totalMs).toFixed(0)}% of the run`;
process.stdout.write(
  `\n${plans} plans, ${(settlementMs / plans).toFixed(0)} ms each; ${share} of ${(totalMs / 1e3).toFixed(1)} s\n` +
    `${total} requests, expected at most ${MAX_REQUESTS}\n\n`,
);
if (total > MAX_REQUESTS) process.exitCode = 1;

printHead(['node', 'ms away', 'settled on', 'plans', 'requests to the node', 'seconds']);
for (const program of GETH === undefined ? (['Anvil'] as const) : (['Anvil', 'geth'] as const)) {
  for (const delayMs of DELAYS_MS) {
    for (const settleOn of ['anvil', 'node'] as const) {
      const { settled, calls, seconds } = await settleFarAway(program, delayMs, settleOn);
      printRow([program, delayMs, settleOn, settled, calls, seconds.toFixed(1)]);
    }
  }
}
if (GETH === undefined) process.stdout.write('geth was not found: set GETH_BIN to its path.\n');

async function runStandard() {
  const subject = await startBuiltInReference();
  const counted = countRequests();
  let [settlementMs, enteredMs] = [0, 0];
  let isSettling = false;
  const start = performance.now();
  const report = await runConformance(
    { ...subject, service: { url: subject.url, name: 'the reference' } },
    (event) => {
      if (event.type !== 'progress') return;
      const now = performance.now();
      const settles = event.progress.phase === 'settlement';
      if (settles && !isSettling) enteredMs = now;
      if (!settles && isSettling) settlementMs += now - enteredMs;
      isSettling = settles;
    },
  );
  const totalMs = performance.now() - start;
  if (isSettling) settlementMs += performance.now() - enteredMs;
  const requests = counted.stop();
  await subject.close();
  return { report, settlementMs, totalMs, requests };
}

function countRequests() {
  const counts = new Map<string, number>();
  const { end } = ClientRequest.prototype;
  ClientRequest.prototype.end = function (this: ClientRequest, ...args: Parameters<typeof end>) {
    const [, method] = /"method":"(\w+)"/.exec(typeof args[0] === 'string' ? args[0] : '') ?? [];
    if (method !== undefined) counts.set(method, (counts.get(method) ?? 0) + 1);
    return end.apply(this, args);
  } as typeof end;
  return {
    stop: () => {
      ClientRequest.prototype.end = end;
      return counts;
    },
  };
}

async function settleFarAway(program: 'Anvil' | 'geth', delayMs: number, settleOn: SettleOn) {
  const bench = await startReferenceBench([CHAIN]);
  const anvilUrl = bench.sources[0]?.rpcUrl ?? '';
  const geth = program === 'geth' ? await startGeth(createRpc(anvilUrl)) : undefined;
  const proxy = await startNodeProxy(geth?.url ?? anvilUrl, () => undefined, delayMs);
  const fork = { chainId: CHAIN, rpcUrl: proxy.url, settleOn };
  const executor = createExecutor({ forks: [fork], plans: PLANS }, await bench.session());
  const start = performance.now();
  const execution = await executor.execute('as-returned');
  const seconds = (performance.now() - start) / 1e3;
  await executor.close();
  await proxy.stop();
  await geth?.stop();
  await bench.stop();
  if (execution.kind !== 'executed') throw new Error(execution.why);
  return { settled: execution.items.length, calls: proxy.calls.length, seconds };
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
