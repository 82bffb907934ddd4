import type { ChildProcess } from 'node:child_process';
import autocannon from 'autocannon';
import type { ChainInfo, TokenInfo } from '../../conformance/contract/resources.ts';
import {
  median,
  messageOf,
  printHead,
  printRow,
  startProgram,
  stopPrograms,
  takeTurns,
} from './kit.ts';
import type { Bodies } from './reference-server.ts';

/*
 * npm run bench:reference [-- NAME]: requests a second of the reference, by
 * endpoint, beside bare Koa answering the same bytes from memory. CPU time a
 * request tells the same on a machine that has other work.
 */

type Case = {
  readonly name: string;
  /** Least ratio to bare Koa; unset, told only. */
  readonly goal?: number;
  /** Target of the nth request. */
  readonly target: (n: number) => string;
  /** How many targets there are before they repeat; unset, they never do. */
  readonly distinct?: number;
};

const SECONDS = 1;
const CONNECTIONS = 50;
const PREFIX = '/api/v1.0';
const KEY = 'apiKey=demo';
const USER = '0x00000000000000000000000000000000000a11ce';

type Server = { readonly child: ChildProcess; readonly url: string };

async function startServer(bodies?: Bodies): Promise<Server> {
  const child = startProgram('reference-server');
  return { child, url: await ask<string>(child, bodies ? { bodies } : {}) };
}

function ask<Answer>(child: ChildProcess, message: object): Promise<Answer> {
  const answer = messageOf<Answer>(child);
  child.send(message);
  return answer;
}

async function getText(url: string): Promise<string> {
  const reply = await fetch(url);
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${reply.status} for ${url}: ${text}`);
  return text;
}

async function describeCases(url: string): Promise<Case[]> {
  const chain = `chainId=31337&${KEY}`;
  const info: ChainInfo = JSON.parse(await getText(`${url}${PREFIX}/chainInfo?${chain}`));
  const tokens: TokenInfo[] = JSON.parse(await getText(`${url}${PREFIX}/tokens?${chain}`));
  const router = info.routers.find(({ hasEncoder }) => hasEncoder)?.name;
  const calldata = `includeCalldata=true&userAddress=${USER}&slippageTolerance=0.005`;
  const sellFor = (buyToken: string | undefined, sellAmount: bigint) => {
    const sides = `sellToken=${info.wrappedNativeTokenAddress}&buyToken=${buyToken}`;
    return `${PREFIX}/swap?${chain}&${sides}&sellAmount=${sellAmount}&router=${router}`;
  };
  const unit = 10n ** 17n;
  const buys: string[] = [];
  for (const { address } of tokens) {
    if ((await fetch(url + sellFor(address, unit))).ok) buys.push(address);
  }
  const swap = (n: number, sellAmount: bigint) => sellFor(buys[n % buys.length], sellAmount);
  const repeated = 8 * buys.length;
  const repeat = (n: number) => swap(n, unit + BigInt(Math.floor((n % repeated) / buys.length)));
  const never = (n: number) => swap(n, unit + BigInt(n + 100) * 10n ** 9n);
  const lookup = (name: string): Case => ({
    name: `/${name}`,
    goal: 0.9,
    target: () => `${PREFIX}/${name}?${chain}`,
    distinct: 1,
  });
  return [
    ...['chains', 'tokens', 'chainInfo'].map(lookup),
    { name: '/swap, trades that repeat', target: repeat, distinct: repeated },
    {
      name: '/swap with calldata, trades that repeat',
      goal: 0.4,
      target: (n) => `${repeat(n)}&${calldata}`,
      distinct: repeated,
    },
    { name: '/swap, no trade twice', target: never },
    { name: '/swap with calldata, no trade twice', target: (n) => `${never(n)}&${calldata}` },
  ];
}

/** The bodies of every target that repeats; for the rest that of one like them. */
async function collectBodies(url: string, { target, distinct }: Case): Promise<Bodies> {
  if (distinct === undefined) return [[`${PREFIX}/swap`, await getText(url + target(0))]];
  const targets = Array.from({ length: distinct }, (_, n) => target(n));
  const bodies: [string, string][] = [];
  for (const one of targets) bodies.push([one, await getText(url + one)]);
  return bodies;
}

type Sample = { readonly rate: number; readonly cpuUs: number };

/** Requests served a second at saturation (none that was refused), and the server's CPU time for each. */
async function measure(server: Server, nextTarget: () => string): Promise<Sample> {
  const before = await ask<number>(server.child, {});
  const { errors, non2xx, requests, duration } = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: SECONDS,
    requests: [{ setupRequest: (request) => ({ ...request, path: nextTarget() }) }],
  });
  const cpuUs = ((await ask<number>(server.child, {})) - before) / requests.total;
  if (errors > 0) throw new Error(`${errors} requests failed at ${server.url}`);
  return { rate: (requests.total - non2xx) / duration, cpuUs };
}

async function bench(reference: Server, one: Case): Promise<void> {
  let asked = 0;
  const nextTarget = () => one.target(asked++);
  const bare = await startServer(await collectBodies(reference.url, one));
  const { pairs } = await takeTurns({
    pairs: async () => ({
      bare: await measure(bare, nextTarget),
      ours: await measure(reference, nextTarget),
    }),
  });
  bare.child.kill();
  const middle = (of: (pair: (typeof pairs)[number]) => number) => median(pairs.map(of));
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
