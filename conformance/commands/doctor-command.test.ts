import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { exchangeWith } from '../client/exchange.testing.ts';
import { startAnvil } from '../execution/node/anvil.ts';
import { startNodeProxy } from '../execution/node/node-proxy.testing.ts';
import { untilEnd } from '../execution/node/until-end.testing.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import { adviceFor } from './diagnose-node.ts';
import { diagnoseReplyTimes } from './diagnose-service.ts';
import type { Diagnosis } from './diagnosis.ts';
import { type DoctorFlags, diagnose } from './doctor-command.ts';

async function urlOf(listener: RequestListener): Promise<string> {
  const { url, close } = await serve(listener);
  onTestFinished(close);
  return url;
}

async function diagnosesByRequirement(url: string | undefined, flags: Partial<DoctorFlags> = {}) {
  const diagnoses = await diagnose(url, { apiKey: 'a-key', forks: [], report: [], ...flags });
  return new Map(diagnoses.map((each) => [each.what, each]));
}
const stateOf = (all: ReadonlyMap<string, Diagnosis>) =>
  Object.fromEntries([...all].map(([what, { state }]) => [what, state]));

test('a service that accepts the key -> all prerequisites found', async () => {
  let requested = '';
  const url = await urlOf((request, response) => {
    requested = request.url ?? '';
    response.end('[]');
  });
  const report = [{ ...REPORT_FORMATS.json, format: 'json', path: join(tmpdir(), 'doctor.json') }];
  const all = await diagnosesByRequirement(url, { report });
  expect(requested).toBe('/api/v1.0/chains?apiKey=a-key');
  expect(stateOf(all)).toEqual({
    ...{
      Node: 'found',
      WebAssembly: 'found',
      Anvil: 'found',
      Service: 'found',
      'API key': 'found',
      Clock: 'found',
    },
    'Report json': 'found',
  });
  expect([...all.values()].filter(({ fix }) => fix !== undefined)).toEqual([]);
});

test('a rejected or missing key, a wrong base URL, a wrong clock -> each reported with its fix', async () => {
  const url = await urlOf((_, response) => {
    response.setHeader('Date', 'Mon, 01 Jan 2001 00:00:00 GMT');
    response.writeHead(400).end('{"error":"UNKNOWN_API_KEY","message":"no"}');
  });
  const rejected = await diagnosesByRequirement(url);
  expect(stateOf(rejected)).toMatchObject({ 'API key': 'missing', Clock: 'doubtful' });
  expect(rejected.get('API key')?.words).toMatch(
    /^is wrong: the service rejects it like an unknown key, with 400 .*UNKNOWN_API_KEY/,
  );
  expect(rejected.get('Clock')).toMatchObject({ words: expect.stringMatching(/behind ours$/) });
  const quoted = await diagnose(url, { apiKey: '"a-key"\n', forks: [], report: [] });
  expect(quoted.filter(({ what, state }) => what === 'API key' && state === 'doubtful')).toEqual([
    {
      what: 'API key',
      state: 'doubtful',
      words: 'began or ended with a line break, which was removed',
    },
    {
      what: 'API key',
      state: 'doubtful',
      words: 'is in quotes ("), which are sent as part of the key',
      fix: 'remove them',
    },
  ]);
  expect((await diagnosesByRequirement(url, { apiKey: '' })).get('API key')).toMatchObject({
    words: expect.stringContaining('no API key given'),
    fix: 'set SWAPCHECK_API_KEY or pass --api-key',
  });
  const firewall = await urlOf((_, response) => response.writeHead(403).end('Request blocked'));
  expect((await diagnosesByRequirement(firewall)).get('API key')).toMatchObject({
    state: 'missing',
    words:
      'was not tested: the service rejects every request in the same way: 403 "Request blocked"',
    fix: expect.stringContaining('--header'),
  });
  const other = await urlOf((_, response) => response.writeHead(404).end());
  expect((await diagnosesByRequirement(other)).get('API key')).toMatchObject({ state: 'doubtful' });
  expect((await diagnosesByRequirement(other)).get('Service')).toMatchObject({
    state: 'missing',
    fix: 'pass the base URL of the service, without /api/v1.0',
  });
  const { host } = new URL(other);
  expect((await diagnosesByRequirement(`https://${host}`)).get('Service')).toEqual({
    ...{ what: 'Service', state: 'missing' },
    words: `${host} does not speak TLS: pass http://${host}`,
  });
});

test("no service, no node, a path that cannot be written -> reported as missing, without the node's URL", async () => {
  const all = await diagnosesByRequirement('http://127.0.0.1:1', {
    forks: [{ chainId: 1, rpcUrl: 'http://127.0.0.1:1/v2/secret-of-the-node' }],
    report: [{ ...REPORT_FORMATS.json, format: 'json', path: '/dev/null/x/r.json' }],
  });
  expect(stateOf(all)).toMatchObject({
    ...{ Service: 'missing', 'Node of chain 1': 'missing', 'Report json': 'missing' },
    'API key': 'doubtful',
  });
  expect(all.get('API key')?.words).toBe('was not tested: the service did not respond');
  expect(all.get('Service')?.fix).toBe(
    'start the service, or pass a BASE_URL other than http://127.0.0.1:1',
  );
  expect(JSON.stringify([...all])).not.toContain('secret-of-the-node');
});

test.each([
  [0, 'found', /^its latest block is \d+ seconds old$/],
  [-3 * 86_400, 'doubtful', /^its latest block is 3 days old$/],
  [5 * 3_600 + 60, 'doubtful', /^its latest block is 5 hours in the future$/],
])('a chain whose clock is %i seconds ahead -> %s', async (aheadS, state, words) => {
  const timestamp = Math.floor(Date.now() / 1000) + aheadS;
  const node = await untilEnd(startAnvil({ chainId: 77, timestamp }));
  const forks = [{ chainId: 77, rpcUrl: node.url }];
  const clock = (await diagnosesByRequirement(undefined, { forks })).get('Clock of chain 77');
  expect(clock).toMatchObject({ state, words: expect.stringMatching(words) });
});

test('no BASE_URL -> only the machine is checked, with a warning that no service was', async () => {
  const all = await diagnosesByRequirement(undefined);
  expect([...all.keys()]).toEqual(['Node', 'WebAssembly', 'Anvil', 'Service']);
  expect(all.get('Service')).toEqual({
    ...{ what: 'Service', state: 'doubtful', words: 'was not checked: no BASE_URL was given' },
    fix: 'pass its base URL, or set url: in swapcheck.yaml',
  });
});

test.each([
  [20, ': --settle-on node'],
  [
    20.1,
    ', and a reply takes 20 ms: pass --settle-on node, which is several times as fast as a fork of it',
  ],
])('replies in %d ms -> advises to settle on the node only if it is far away', (ms, advice) => {
  expect(adviceFor(ms)).toBe(advice);
});

test('a node -> reports whether the node can settle plans itself, as --settle-on node requires', async () => {
  const anvil = await untilEnd(startAnvil({ chainId: 77 }));
  const proxy = await untilEnd(
    startNodeProxy(anvil.url, ({ method }) =>
      method === 'debug_traceCall' ? { code: -32601, message: 'no such method' } : undefined,
    ),
  );
  const nodeAt = async (rpcUrl: string, settleOn?: 'node') =>
    (
      await diagnosesByRequirement(undefined, {
        forks: [{ chainId: 77, rpcUrl }],
        ...(settleOn && { settleOn }),
      })
    ).get('Node of chain 77');
  expect(await nodeAt(anvil.url)).toMatchObject({
    state: 'found',
    words: expect.stringMatching(/^responds, and serves that chain; it can settle plans[:,]/),
  });
  const distant = await untilEnd(startNodeProxy(anvil.url, () => undefined, 25));
  expect(await nodeAt(distant.url)).toMatchObject({
    state: 'found',
    words: expect.stringMatching(/plans, and a reply takes \d+ ms: pass --settle-on node/),
  });
  expect(await nodeAt(proxy.url)).toMatchObject({
    state: 'found',
    words:
      'responds, and serves that chain; plans must be settled in Anvil, since it failed: debug_traceCall: no such method',
  });
  expect(await nodeAt(proxy.url, 'node')).toMatchObject({ state: 'missing' });
});

test('replies that a delayed acknowledgment holds back -> reported; quick ones are not repeated', async () => {
  const href = 'http://127.0.0.1:8080/';
  let sent = 0;
  const diagnoseAt = async (times: readonly number[], url = href) => {
    sent = 0;
    const replies = times.map((durationMs) => ({ ...exchangeWith({}), durationMs }));
    const [first = exchangeWith({})] = replies;
    const get = async () => replies[sent++ % replies.length] ?? first;
    return diagnoseReplyTimes({ href: url }, first, get);
  };
  expect(await diagnoseAt([44, 45, 46])).toMatchObject([
    { what: 'Reply times', state: 'doubtful', fix: expect.stringContaining('TCP_NODELAY') },
  ]);
  expect(sent).toBe(20);
  expect(await diagnoseAt([44, 45, 90])).toEqual([]);
  expect(await diagnoseAt([44, 45, 46], 'https://swap.example.org/')).toEqual([]);
  expect(await diagnoseAt([3])).toEqual([]);
  expect(sent).toBe(0);
});
