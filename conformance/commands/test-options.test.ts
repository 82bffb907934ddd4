import { readFileSync } from 'node:fs';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import type { RuleResult } from '../model/report.ts';
import { TINY_BODIES, tinyPlan, tinyService } from '../runner/tiny-service.testing.ts';
import { createTestCommand } from './test-command.ts';

const KEY = ['--api-key', 'a-key-0f-mine', '--profile', 'quick'];
const working = process.cwd();
afterEach(() => process.chdir(working));

function inFolder() {
  const folder = useFolder(onTestFinished);
  process.chdir(folder.folder);
  const run = (...args: readonly string[]) => runCommand(createTestCommand(start), args);
  return { ...folder, run };
}

const start = async () => {
  const { url, close } = await serve(tinyService);
  return { url, apiKey: 'k', forks: [], close };
};

async function freePort(): Promise<number> {
  const { url, close } = await serve(tinyService);
  await close();
  return Number(new URL(url).port);
}

async function service(change: (path: string) => unknown = () => undefined) {
  const requested: string[] = [];
  const { url, close } = await serve((request, response) => {
    requested.push(request.url ?? '');
    const body = change(request.url ?? '');
    if (body === undefined) return tinyService(request, response);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  onTestFinished(close);
  return { url, requested };
}

test('--help -> its first page shows what most runs need, and every option is in a group', () => {
  const command = createTestCommand(start);
  expect(command.options.filter(({ helpGroupHeading }) => helpGroupHeading === undefined)).toEqual(
    [],
  );
  const firstPage = command.helpInformation().split('\n').slice(0, 32).join('\n');
  for (const option of ['--only', '--fork', '--report', '--last-failed', '--waivers']) {
    expect(firstPage).toContain(option);
  }
  expect(firstPage).not.toMatch(/--(client-cert|max-body|tolerance-ppm) /);
});

test('no BASE_URL -> judges and names the built-in reference', async () => {
  const { run, at, readJson } = inFolder();
  const formats = ['json', 'text', 'markdown', 'html', 'junit', 'sarif'];
  const reports = formats.flatMap((format) => ['--report', `${format}=${at(format)}`]);
  const { stderr } = await run('--only', '2.7', '--profile', 'quick', ...reports);
  expect(readJson('json')).toMatchObject({
    target: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    targetName: 'the built-in reference',
  });
  for (const format of formats) {
    expect(readFileSync(at(format), 'utf8'), format).toContain('the built-in reference');
  }
  expect(stderr).toMatch(/No BASE_URL: judging the built-in reference service at http/);
  expect(stderr).toMatch(/No BASE_URL: judged the built-in reference service/);
});

test('an empty BASE_URL, or a configuration without one -> exit 2 with the reason', async () => {
  const { run, write } = inFolder();
  expect(await run('')).toMatchObject({
    code: 2,
    text: expect.stringContaining('is the variable set?'),
  });
  write('other.yaml', 'seed: 1');
  expect(await run('--config', 'other.yaml')).toMatchObject({
    code: 2,
    text: expect.stringContaining('--config other.yaml: a BASE_URL is required'),
  });
});

test('swapcheck.yaml in the working folder -> its url is judged; the command line takes precedence', async () => {
  const { run, write } = inFolder();
  const [one, other] = [await service(), await service()];
  write(
    'swapcheck.yaml',
    `url: ${one.url}\nonly: '2.7'\nrequest: /api/v1.0/chains\nheader: 'X-A: b'\n`,
  );
  expect(await run(...KEY)).toMatchObject({ code: 0 });
  expect(one.requested.length).toBeGreaterThan(0);
  expect(await run(other.url, ...KEY)).toMatchObject({ code: 0 });
  expect(other.requested.length).toBeGreaterThan(0);
});

test('only: [2.10] in swapcheck.yaml -> exit 2 with the fix', async () => {
  const { run, write } = inFolder();
  write('swapcheck.yaml', 'url: http://127.0.0.1:1\nonly: [2.10]');
  expect(await run(...KEY)).toMatchObject({
    code: 2,
    text: expect.stringContaining(
      "--only 2.1: expected a text in quotes, such as '2.10': YAML reads 2.10 as 2.1",
    ),
  });
});

test("start: with a service that ends during the run -> exit 3 with the service's last output, and a report", async () => {
  const { run, write, at, readJson } = inFolder();
  const { url } = await service();
  const port = await freePort();
  write(
    'service.mjs',
    `import { createServer } from 'node:http';
let requests = 0;
createServer((request, reply) => {
  if (++requests > 20) { console.log('out of memory'); process.exit(7); }
  fetch(${JSON.stringify(url)} + request.url).then(async (answer) =>
    reply.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()));
}).listen(${port}, '127.0.0.1');`,
  );
  write(
    'swapcheck.yaml',
    `url: http://127.0.0.1:${port}\nstart: '"${process.execPath}" service.mjs'`,
  );
  const result = await run(...KEY, '--report', `json=${at('r.json')}`);
  expect(result.code).toBe(3);
  expect(result.stderr).toMatch(
    /ended with 7 before the run did; its last output: "out of memory"/,
  );
  expect(result.stderr).toContain(`It sends requests to http://127.0.0.1:${port}; starts '`);
  expect(readJson('r.json')).toMatchObject({
    verdict: 'incomplete',
    reason: expect.stringContaining('ended with 7 before the run did'),
  });
});

test('start: while another service responds at the URL -> exit 2 with the port', async () => {
  const { run, write } = inFolder();
  const { url } = await service();
  write('swapcheck.yaml', `url: ${url}\nstart: sleep 60`);
  expect(await run(...KEY)).toMatchObject({
    code: 2,
    text: expect.stringContaining(`already responds at port ${new URL(url).port}`),
  });
});

test.each([
  ['start: npm start', 'url: expected the URL at which the service of start: listens'],
  ['url: http://a\nready: /', 'start: expected the command that starts the service of ready:'],
  ['url: 12', 'url: expected an http or https URL, got 12'],
  ['url: http://a\nstart: [a]', 'start: expected a command, got ["a"]'],
  [
    'url: http://a\nstart: a\nready: {path: b}',
    'ready.path: expected a path such as /health, got "b"',
  ],
  [
    'url: http://a\nstart: a\nready: {seconds: 0}',
    'ready.seconds: expected a number above 0, got 0',
  ],
  ['url: [http://a\nstart: b', /must be sufficiently indented .* at line 2, column 1$/m],
  ['urll: http://a', "there is no option 'urll'"],
])('the configuration %j -> exit 2: %s', async (text, message) => {
  const { run, write } = inFolder();
  write('swapcheck.yaml', text);
  const { code, stderr } = await run();
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test.each([
  ['url: http://127.0.0.1:9', []],
  ['url: http://127.0.0.1:9\nstart: sleep 60', ['http://127.0.0.1:9']],
])(
  '--watch with the configuration %j and the arguments %j -> exit 2: what to set',
  async (text, args) => {
    const { run, write } = inFolder();
    write('swapcheck.yaml', text);
    const { code, stderr } = await run(...args, ...KEY, '--watch');
    expect([code, stderr]).toEqual([2, expect.stringContaining('set url: and start: in')]);
  },
);

const serviceThatListsChainsTwice = () =>
  service((path) =>
    path.includes('/chains') ? [...TINY_BODIES.chains, ...TINY_BODIES.chains] : undefined,
  );

test('a failing reply rule, selected with --only -> judges the replies to all probes, as usual', async () => {
  const { run, at, readJson } = inFolder();
  // Only probes request calldata, because the test replaces the traffic.
  const { url } = await service((path) =>
    path.includes('includeCalldata=true') ? { ...tinyPlan('1'), aggregator: 5 } : undefined,
  );
  const args = ['--request', '/api/v1.0/chains', '--report', `json=${at('r.json')}`];
  const failing = async (...selection: readonly string[]) => {
    expect((await run(url, ...KEY, ...args, ...selection)).code).toBe(1);
    return failedIn(readJson('r.json').rules);
  };
  const all = await failing();
  expect(all).toContain('swap-response/aggregator');
  expect(await failing('--only', 'swap-response/aggregator')).toEqual(['swap-response/aggregator']);
  expect(await failing('--level', 'must')).toContain('swap-response/aggregator');
});

const failedIn = (rules: readonly RuleResult[]) =>
  rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);

test('--last-failed -> sends the failing requests after discovery, and nothing else while one of them fails', async () => {
  const { run, at, readJson } = inFolder();
  const broken = await serviceThatListsChainsTwice();
  const report = ['--report', `json=${at('r.json')}`];
  expect((await run(broken.url, ...KEY, '--seed', '3', ...report)).code).toBe(1);
  const first = readJson('r.json');
  const sentAtFirst = broken.requested.length;
  const again = await run(
    ...[broken.url, ...KEY, '--last-failed', at('r.json'), '--report', `json=${at('again.json')}`],
  );
  expect(again.code).toBe(1);
  const { rules, notJudged, seed, reason } = readJson('again.json');
  expect(seed).toBe(3);
  expect(failedIn(rules)).toContain('chain/chain-id-unique');
  expect(reason).toContain('A failure of the last run persists, so the rest was not judged again.');
  expect(JSON.stringify(notJudged)).not.toContain('--only');
  expect(broken.requested.length - sentAtFirst).toBeLessThan(sentAtFirst / 2);
  expect(rules.length).toBe(first.rules.length);
});

test('--last-failed, but nothing fails anymore -> every rule judges the service', async () => {
  const { run, at, readJson } = inFolder();
  const broken = await serviceThatListsChainsTwice();
  const rules = ['--only', '2.7', '--only', '2.6'];
  await run(broken.url, ...KEY, ...rules, '--report', `json=${at('r.json')}`);
  const fixed = await service();
  const whole = await run(fixed.url, ...KEY, '--report', `json=${at('whole.json')}`);
  const repeated = await run(
    ...[fixed.url, ...KEY, '--last-failed', at('r.json'), '--report', `json=${at('again.json')}`],
  );
  expect(repeated.code).toBe(whole.code);
  expect(failedIn(readJson('again.json').rules)).toEqual(failedIn(readJson('whole.json').rules));
  expect(readJson('again.json').rules.length).toBeGreaterThan(100);
});

test('--last-failed with seed and only in swapcheck.yaml -> the report takes precedence over the file, and the command line over both', async () => {
  const { run, at, readJson, write } = inFolder();
  const broken = await serviceThatListsChainsTwice();
  write('swapcheck.yaml', `url: ${broken.url}\nseed: 5\nonly: ['2.6']\nreport: [json=r.json]`);
  await run(...KEY, '--only', '2.7', '--seed', '3');
  expect(failedIn(readJson('r.json').rules)).toContain('chain/chain-id-unique');
  const again = ['--last-failed', at('r.json'), '--report', `json=${at('again.json')}`];
  expect((await run(...KEY, ...again)).code).toBe(1);
  expect(readJson('again.json').seed).toBe(3);
  expect(failedIn(readJson('again.json').rules)).toContain('chain/chain-id-unique');
  expect((await run(...KEY, ...again, '--seed', '9', '--only', '2.7')).code).toBe(1);
  expect(readJson('again.json').seed).toBe(9);
});

test('--last-failed with a report without failures -> judged as usual; with a missing file, or none -> judged as usual, too', async () => {
  const { run, at } = inFolder();
  const { url, requested } = await service();
  const only = ['--only', '2.7', '--max-requests', '40'];
  await run(url, ...KEY, ...only, '--report', `json=${at('r.json')}`);
  const before = requested.length;
  expect(await run(url, ...KEY, ...only, '--last-failed', at('r.json'))).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Nothing failed in'),
  });
  expect(requested.length).toBeGreaterThan(before);
  expect(await run(url, ...KEY, ...only, '--last-failed', 'none.json')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('none.json does not exist yet: judging everything.'),
  });
  expect(await run(url, ...KEY, ...only, '--last-failed')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('reports/swapcheck.json does not exist yet'),
  });
  expect(await run(url, ...KEY, ...only, '--last-failed')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Nothing failed in reports/swapcheck.json'),
  });
  expect(await run('--last-failed', url)).toMatchObject({
    code: 2,
    text: expect.stringContaining('write the BASE_URL before --last-failed'),
  });
});

test('an occasional 500 to requests that were never served before, with --profile quick -> fails the rule on server errors', async () => {
  const { run, at, readJson } = inFolder();
  let swaps = 0;
  const { url, close } = await serve((request, response) => {
    const isSwap = request.url?.includes('/swap') && request.url.includes('includeCalldata=true');
    if (!isSwap || ++swaps % 10 !== 1) return tinyService(request, response);
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end('{"error":"INTERNAL","message":"no"}');
  });
  onTestFinished(close);
  await run(url, ...KEY, '--only', 'endpoint/no-server-error', '--report', `json=${at('r.json')}`);
  const { rules, reason } = readJson('r.json');
  expect(failedIn(rules)).toEqual(['endpoint/no-server-error']);
  expect(reason).toContain('1 `should` rule failed');
  expect(rules[0].failures[0]).toMatchObject({
    expected: '200, as for this request at other times',
    exchange: { status: 500 },
  });
});

test('start: does not start the service -> exit code 3, and reports that state the reason', async () => {
  const { run, write, read, readJson } = inFolder();
  const url = `http://127.0.0.1:${await freePort()}`;
  write(
    'swapcheck.yaml',
    `url: ${url}\nstart: echo no database; exit 7\nreport: [json=r.json, junit=r.xml]`,
  );
  write('r.json', '{"verdict":"conforming"}');
  const { code, stderr } = await run(...KEY);
  expect(code).toBe(3);
  expect(stderr).toContain('ended with 7 before the run did; its last output: "no database"');
  expect(readJson('r.json')).toMatchObject({
    verdict: 'incomplete',
    reason: expect.stringContaining('ended with 7'),
    requests: 0,
  });
  expect(read('r.xml')).toMatch(/<error [^>]*type="could-not-run"/);
});

test('the built-in reference ends during the run -> exit code 3 with the reason, never nonconforming', async () => {
  const { readJson } = inFolder();
  const ending = new AbortController();
  let requests = 0;
  const { url, close } = await serve((request, response) => {
    if (++requests < 60) return tinyService(request, response);
    ending.abort('the built-in reference service ended with SIGKILL');
    request.socket.destroy();
  });
  onTestFinished(close);
  const dying = async () => ({ url, apiKey: 'k', forks: [], close, ended: ending.signal });
  const { code } = await runCommand(createTestCommand(dying), ['--report', 'json=r.json']);
  expect(code).toBe(3);
  expect(readJson('r.json')).toMatchObject({
    verdict: 'incomplete',
    reason: expect.stringContaining('the built-in reference service ended with SIGKILL'),
  });
});

test('reports in files -> the text stays on the terminal; a report on standard output replaces it', async () => {
  const { run } = inFolder();
  const { url } = await service();
  const only = ['--only', '2.7', '--max-requests', '40'];
  const both = await run(url, ...KEY, ...only, '--report', 'json=r.json', '--report', 'text=r.txt');
  expect(both.stdout).toMatch(/CONFORMING: /);
  const json = await run(url, ...KEY, ...only, '--report', 'json=-', '--report', 'junit=r.xml');
  expect(JSON.parse(json.stdout)).toMatchObject({ verdict: 'conforming' });
});

test('--fork of a chain that the service does not list -> exit code 3, which names both chains', async () => {
  const { run, readJson } = inFolder();
  const { url } = await service();
  const node = await serve((_, response) =>
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x63"}'),
  );
  onTestFinished(node.close);
  const { code } = await run(url, ...KEY, '--fork', `99=${node.url}`, '--report', 'json=r.json');
  expect(code).toBe(3);
  expect(readJson('r.json')).toMatchObject({
    verdict: 'incomplete',
    reason: expect.stringMatching(/^\/chains does not list chain 99, which --fork names, only \d+/),
  });
});

test('--write-waivers -> one entry for each rule, fault, chain and pair; together they cover the run, each alone only its own failure', async () => {
  const { run, read, write, readJson } = inFolder();
  const { url } = await service((path) => {
    if (!path.includes('/swap?') || !path.includes('sellAmount=')) return undefined;
    const plan = tinyPlan('1000') as unknown as { tokens: { decimals: unknown }[] };
    for (const token of plan.tokens) token.decimals = 99;
    return plan;
  });
  const only = ['--only', '2.3 decimals', '--report', 'json=r.json'];
  expect((await run(url, ...KEY, ...only, '--write-waivers', 'w.yaml')).code).toBe(1);
  const waivers: Record<string, unknown>[] = parse(read('w.yaml'));
  expect(waivers.length).toBeGreaterThan(1);
  const places = waivers.map(({ reason: _, expires: __, ...place }) => JSON.stringify(place));
  expect(new Set(places).size).toBe(places.length);
  for (const each of waivers) {
    expect(each).toMatchObject({ fault: expect.any(String), chain: expect.any(Number) });
  }
  expect(waivers.filter(({ pair }) => pair !== undefined).length).toBeGreaterThan(1);
  expect((await run(url, ...KEY, ...only, '--waivers', 'w.yaml')).code).toBe(0);
  write('one.yaml', JSON.stringify(waivers.slice(0, 1)));
  expect((await run(url, ...KEY, ...only, '--waivers', 'one.yaml')).code).toBe(1);
  expect(readJson('r.json').verdict).toBe('nonconforming');
});
