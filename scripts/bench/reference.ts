import autocannon from 'autocannon';
import { medianOf } from '../../conformance/model/statistics.ts';
import type { Bodies } from './bench-server.ts';
import { printHead, printRow, stopPrograms, takeTurns } from './kit.ts';
import { type BenchServer, findTrades, getText, PREFIX, startServer } from './start-server.ts';

/*
 * npm run bench:reference [-- NAME]: measures the requests per second of each endpoint of the
 * reference, compared with bare Koa that sends the same bytes from memory. The CPU time per request
 * is comparable even while the machine does other work.
 */

type Case = {
  readonly name: string;
  /** Minimum ratio to bare Koa. If unset, the ratio is only printed. */
  readonly goal?: number;
  readonly target: (n: number) => string;
  readonly distinct?: number;
};

const SECONDS = 1;
const CONNECTIONS = 50;
const USER = '0x00000000000000000000000000000000000a11ce';

async function describeCases(url: string): Promise<Case[]> {
  const trades = await findTrades(url);
  const calldata = `includeCalldata=true&userAddress=${USER}&slippageTolerance=0.005`;
  const repeated = 8 * trades.pairs;
  const repeat = (n: number) => trades.repeated(n % repeated);
  const never = trades.distinct;
  const lookup = (name: string): Case => ({
    name: `/${name}`,
    target: () => `${PREFIX}/${name}?${trades.chain}`,
    distinct: 1,
  });
  return [
    ...['chains', 'tokens', 'chainInfo'].map(lookup),
    { name: '/swap, trades that repeat', target: repeat, distinct: repeated },
    {
      name: '/swap with calldata, trades that repeat',
      target: (n) => `${repeat(n)}&${calldata}`,
      distinct: repeated,
    },
    { name: '/swap, no trade twice', goal: 0.2, target: never },
    {
      name: '/swap with calldata, no trade twice',
      goal: 0.2,
      target: (n) => `${never(n)}&${calldata}`,
    },
    { name: '/swap, no trade close to another', target: trades.distant },
  ];
}

/** Returns the bodies for bare Koa. If targets never repeat, uses the body of one of them. */
async function collectBodies(url: string, { target, distinct }: Case): Promise<Bodies> {
  if (distinct === undefined) return [[`${PREFIX}/swap`, await getText(url + target(0))]];
  const targets = Array.from({ length: distinct }, (_, n) => target(n));
  const bodies: [string, string][] = [];
  for (const one of targets) bodies.push([one, await getText(url + one)]);
  return bodies;
}

type Sample = { readonly rate: number; readonly cpuUs: number };

async function measure(server: BenchServer, nextTarget: () => string): Promise<Sample> {
  const before = await server.usage();
  const { errors, non2xx, requests, duration } = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: SECONDS,
    requests: [{ setupRequest: (request) => ({ ...request, path: nextTarget() }) }],
  });
  const cpuUs = ((await server.usage()).cpuUs - before.cpuUs) / requests.total;
  if (errors > 0) throw new Error(`${errors} requests failed at ${server.url}`);
  return { rate: (requests.total - non2xx) / duration, cpuUs };
}

async function bench(reference: BenchServer, one: Case): Promise<void> {
  let number = 0;
  const nextTarget = () => one.target(number++);
  const bodies = await collectBodies(reference.url, one);
  const bare = await startServer({ kind: 'koa', bodies });
  const { pairs } = await takeTurns({
    pairs: async () => ({
      bare: await measure(bare, nextTarget),
      ours: await measure(reference, nextTarget),
    }),
  });
  bare.child.kill();
  const middle = (of: (pair: (typeof pairs)[number]) => number) => medianOf(pairs.map(of));
  const ratio = middle(({ bare, ours }) => ours.rate / bare.rate);
  if (one.goal !== undefined && !(ratio >= one.goal)) process.exitCode = 1;
  printRow([
    one.name,
    middle(({ bare }) => bare.rate).toFixed(0),
    middle(({ ours }) => ours.rate).toFixed(0),
    middle(({ bare }) => bare.cpuUs).toFixed(1),
    middle(({ ours }) => ours.cpuUs).toFixed(1),
    ratio.toFixed(2),
    middle(({ bare, ours }) => bare.cpuUs / ours.cpuUs).toFixed(2),
    one.goal ?? '',
  ]);
}

printHead([
  'endpoint',
  'bare Koa req/s',
  'reference req/s',
  'bare CPU us/req',
  'reference CPU us/req',
  'ratio of rates',
  'ratio of CPU',
  'goal',
]);
try {
  const reference = await startServer();
  for (const one of await describeCases(reference.url)) {
    if (one.name.includes(process.argv[2] ?? '')) await bench(reference, one);
  }
} finally {
  stopPrograms();
}
