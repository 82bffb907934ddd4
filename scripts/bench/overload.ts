import { Agent, get } from 'node:http';
import { ascending, medianOf, quantileOf } from '../../conformance/model/statistics.ts';
import { printHead, printRow, startProgram, stopPrograms, takeTurns } from './kit.ts';
import type { OverloadCounts, OverloadOrder } from './overload-clients.ts';
import { findTrades, PREFIX, request, startServer } from './start-server.ts';

const SECONDS = 2;
/** Seconds in which connections are opened and nothing is counted. */
const RAMP_S = 1;
const LOOKUP_EVERY_MS = 5;
const TIMES = [2, 8, 64];
const CONNECTIONS = 16;

type Load = OverloadCounts & {
  readonly plannedPerCpuS: number;
  readonly lookupP99Ms: number;
  readonly rssMb: number;
  /** Median latency of single trades, one second after the load has ended. */
  readonly laterP50Ms: number;
};

const clients = startProgram('overload-clients');
const server = await startServer();
const trades = await findTrades(server.url);
let amount = 10 ** 8;

async function runLoad(connections: number, rate: number): Promise<Load> {
  amount += 10 ** 6;
  const order: OverloadOrder = {
    port: Number(new URL(server.url).port),
    ...{
      connections,
      rate,
      rampS: RAMP_S,
      seconds: SECONDS,
      targets: trades.templates,
      firstAmount: amount,
    },
  };
  const agent = new Agent({ keepAlive: true });
  const lookups: Promise<number>[] = [];
  const requestLookup = () => lookups.push(latencyMs(`${PREFIX}/chains?${trades.chain}`, agent));
  const began = performance.now() + RAMP_S * 1000;
  const lookupTimer = setInterval(
    () => performance.now() > began && requestLookup(),
    LOOKUP_EVERY_MS,
  );
  const counting = request<OverloadCounts>(clients, order);
  await new Promise((resolve) => setTimeout(resolve, RAMP_S * 1000));
  const { cpuUs } = await server.usage();
  const counts = await counting;
  const usage = await server.usage();
  clearInterval(lookupTimer);
  const waited = await Promise.all(lookups);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const later: number[] = [];
  for (let n = 0; n < 50; n++) later.push(await latencyMs(trades.distinct(amount + n), agent));
  agent.destroy();
  return {
    ...counts,
    plannedPerCpuS: counts.planned / ((usage.cpuUs - cpuUs) / 1e6),
    lookupP99Ms: quantileOf(waited.toSorted(ascending), 0.99),
    rssMb: usage.rssBytes / 2 ** 20,
    laterP50Ms: medianOf(later),
  };
}

function latencyMs(target: string, agent: Agent): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    get(server.url + target, { agent }, (reply) => {
      if (reply.statusCode !== 200) reject(new Error(`${reply.statusCode} for ${target}`));
      reply.resume().on('end', () => resolve(performance.now() - startedAt));
    }).on('error', reject);
  });
}

try {
  let capacity = 1000;
  const best = async () => {
    const load = await runLoad(CONNECTIONS, Number.MAX_SAFE_INTEGER);
    capacity = load.planned / load.seconds;
    return load;
  };
  const loads = await takeTurns({
    best,
    ...Object.fromEntries(
      TIMES.map((times) => [
        `${times} times capacity`,
        () => runLoad(CONNECTIONS * times, capacity * times),
      ]),
    ),
  });
  printHead([
    'load',
    'connections',
    'planned/s',
    'rejected/s',
    'failed',
    'planned, share of the best',
    'share by CPU time',
    'lookups p99 ms',
    'trades p50 a second later, ratio to the best',
    'memory, ratio of the last round to the first',
  ]);
  const over = (all: readonly Load[], of: (load: Load) => number) => medianOf(all.map(of));
  const toBest = (all: readonly Load[], of: (load: Load) => number) =>
    medianOf(all.map((load, round) => of(load) / of(loads.best[round] ?? load)));
  for (const [name, all] of Object.entries(loads)) {
    const connections = CONNECTIONS * (Number.parseInt(name, 10) || 1);
    const planned = toBest(all, (load) => load.planned / load.seconds);
    const lookups = over(all, ({ lookupP99Ms }) => lookupP99Ms);
    const memory = (all.at(-1)?.rssMb ?? 0) / (all[0]?.rssMb ?? 0);
    const later = toBest(all, ({ laterP50Ms }) => laterP50Ms);
    const failed = all.reduce((sum, load) => sum + load.failed, 0);
    const holds = planned >= 0.7 && lookups < 250 && memory < 1.2 && later < 1.5 && failed === 0;
    if (!holds) process.exitCode = 1;
    printRow([
      name,
      connections,
      over(all, (load) => load.planned / load.seconds).toFixed(0),
      over(all, (load) => load.rejected / load.seconds).toFixed(0),
      failed,
      planned.toFixed(2),
      toBest(all, ({ plannedPerCpuS }) => plannedPerCpuS).toFixed(2),
      lookups.toFixed(0),
      later.toFixed(2),
      memory.toFixed(2),
    ]);
  }
  process.stdout.write(
    '\nGoals: planned at least 0.70, lookups under 250 ms, later under 1.50, memory under 1.20\n',
  );
} finally {
  stopPrograms();
}
