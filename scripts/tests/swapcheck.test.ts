import { spawnSync } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tinyPlan } from '../../conformance/runner/tiny-service.testing.ts';
import { PROGRAM } from '../../fixtures/testing/built-program.testing.ts';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { startProgram } from '../../fixtures/testing/start-program.testing.ts';
import { serve, serveRaw } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { createProgram } from '../cli/program.ts';

const { at, write } = useFolder();

function start(args: readonly string[], stdout: 'pipe' | number = 'pipe') {
  const { SWAPCHECK_API_KEY: _, ...env } = process.env;
  return startProgram(process.execPath, [PROGRAM, ...args], {
    env: { ...env, NO_COLOR: '1' },
    stdio: ['pipe', stdout, 'pipe'],
  });
}

function swapcheck(args: readonly string[], input?: string) {
  const { child, ended } = start(args);
  child.stdin?.end(input);
  return ended;
}

describe('swapcheck', () => {
  test('--version -> the version of the package', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    expect(await swapcheck(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  test.each([
    ['--help', [PROGRAM, '--help'], ['commander']],
    ['test --help', [PROGRAM, 'test', '--help'], ['commander']],
    // A rule verifies checksums of addresses.
    ['rules', [PROGRAM, 'rules'], ['commander', '@noble/hashes']],
    ['the library', [join(PROGRAM, '../../conformance/library/swapcheck.js')], []],
    ['the client', [join(PROGRAM, '../../conformance/library/client.js')], []],
  ])('%s -> loads only the packages it needs', (_, args, expected) => {
    const asUrl = (script: string) => `data:text/javascript,${encodeURIComponent(script)}`;
    const hooks = asUrl(
      "import { writeSync } from 'node:fs'; export const load = (url, context, next) => (writeSync(2, url + '\\n'), next(url, context));",
    );
    const registers = asUrl(
      `import { register } from 'node:module'; register(${JSON.stringify(hooks)});`,
    );
    const { stderr, status } = spawnSync(process.execPath, ['--import', registers, ...args], {
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    const packages = stderr.match(/(?<=\/node_modules\/)(@[^/]+\/)?[^/\n]+/g);
    expect(new Set(packages)).toEqual(new Set(expected));
  });

  test.each([
    [['test', '--nonsense'], /^error: unknown option '--nonsense'\nSee swapcheck test --help\.\n$/],
    [
      ['study', '--dry-run'],
      /^error: .*\nThis version removed it: run the study; .*\nSee swapcheck study/,
    ],
    [['help', 'nonsense'], /^error: unknown command 'nonsense'\nSee swapcheck --help\.\n$/],
    [['check', '/nowhere.json'], /\/nowhere\.json cannot be read \(ENOENT\)/],
    [['test', 'http://a/?apiKey=hush&b=1'], /BASE_URL 'http:\/\/a\/\?apiKey=\$SWAPCHECK_API_KEY&b/],
    [
      ['test', 'http://a', '--write-waivers', '/dev/null/x'],
      /^error: --write-waivers \S+ cannot be/,
    ],
    [['test', 'user:hush@host'], /^error: BASE_URL '\*\*\*@host': expected an http or https URL/],
    [['compare', 'https://user:hush@a', 'b'], /^error: '\*\*\*@a' is a URL: pass --interleave/],
    [['serve', '--rpc', '1=ftp://a/hush'], /^error: --rpc: expected CHAIN=URL, such as 1=http:/],
    [
      ['serve', '--maker', '1=http://u:hush@a'],
      /^error: unknown option '--maker'\nThis version removed it: /,
    ],
    [
      ['route', '--market', 'm', '--sell', 'A', '--buy', 'B', '--orders', 'test'],
      /^error: unknown option '--orders'\nThis version removed it: /,
    ],
    [['explain', 'x'.repeat(100_000)], /^error: .{60,300}…\s/],
    [['test', '--chain', '?apiKey=hush'], /argument '\?apiKey=\$SWAPCHECK_API_KEY' is invalid/],
  ])('%j -> exit code 2 and the expected message', async (args, message) => {
    const { code, stderr } = await swapcheck(args);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^ {4}at |hush/m);
    expect(code).toBe(2);
  });

  test("check --router-name -> a plan with a custom router name is judged as if it had the specification's name", async () => {
    const plan = write('named.json', { ...tinyPlan('1000'), router: 'mine' });
    const check = async (...options: readonly string[]) => {
      const args = ['check', plan, '--only', 'swap-response/router-name', ...options];
      return (await runCommand(await createProgram(args), args)).code;
    };
    expect(await check()).toBe(1);
    expect(await check('--router-name', 'service-router=mine')).toBe(0);
  });

  test('an error message of 6 MB from a node -> exit 3 and a short error', async () => {
    const node = await serve((request, response) => {
      request.resume().on('end', () => {
        const error = { code: -32_000, message: 'x'.repeat(6_000_000) };
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
      });
    });
    onTestFinished(node.close);
    const { code, stderr } = await swapcheck(['execute', '--fork', `31337=${node.url}`]);
    expect([code, stderr.length < 25_000]).toEqual([3, true]);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test.each([
    ['without a key', 'test', []],
    ['with an empty key', 'load', ['--api-key', '']],
  ])('%s, %s -> exit code 3, one sentence, and no requests', async (_, command, key) => {
    let requests = 0;
    const server = await serve((_, response) => {
      requests++;
      response.writeHead(401).end('{}');
    });
    const json = at(`${command}.json`);
    const args = [command, server.url, ...key, '--report', `json=${json}`];
    const { code, stderr } = await swapcheck(args);
    await server.close();
    expect(code).toBe(3);
    expect(stderr).toMatch(/no API key given: set SWAPCHECK_API_KEY or pass --api-key/i);
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ verdict: 'incomplete' });
    expect(requests).toBe(0);
  });

  test('full or closed standard output -> exit code 3 and one sentence', async () => {
    const message = /^error: could not write to standard output: (ENOSPC|EPIPE|write EPIPE).*\n$/;
    const full = start(['rules'], openSync('/dev/full', 'w'));
    expect(await full.ended).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
    const broken = start(['rules']);
    broken.child.stdout?.destroy();
    expect(await broken.ended).toMatchObject({ code: 3, stderr: expect.stringMatching(message) });
  });

  test.each([
    ['test', 'http://127.0.0.1:1'],
    ['check', '/nowhere.json'],
    ['load', 'http://127.0.0.1:1'],
  ])('%s, a report that cannot be written -> exit code 2, before the run', async (...args) => {
    const path = join(write('file', ''), 'report.json');
    const { code, stderr } = await swapcheck([...args, '--report', `json=${path}`]);
    expect(stderr).toMatch(/^error: --report json=\S+\/report\.json cannot be written: \w+: .*\n$/);
    expect(code).toBe(2);
  });

  test('a closed port -> exit code 3 and one sentence', async () => {
    const server = await serve(() => undefined);
    await server.close();
    const { code, stdout, stderr } = await swapcheck(['test', server.url, '--api-key', 'key']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/The service could not be reached: .* refused the connection\.\n$/);
    expect(stderr).not.toContain('to go');
  });

  test('404 for every request, options from a file -> exit code 1, and reports without the key', async () => {
    const server = await serve((_, response) => response.writeHead(404).end('my-secret-key'));
    const json = at('report.json');
    const waivers = at('waivers.yaml');
    const config = write(
      'config.yaml',
      `only: ["4", "5.1"]\nreport:\n  - json=${json}\n  - text\n`,
    );
    const { code, stdout } = await swapcheck([
      ...['test', server.url, '--config', config, '--api-key', 'my-secret-key'],
      ...['--write-waivers', waivers],
    ]);
    await server.close();
    expect(code).toBe(1);
    const report = readFileSync(json, 'utf8');
    expect(JSON.parse(report)).toMatchObject({ verdict: 'nonconforming' });
    expect(stdout).toContain('endpoint/status');
    expect(`${report}${stdout}`).not.toContain('my-secret-key');
    expect(readFileSync(waivers, 'utf8')).toContain('rule: endpoint/status');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'test, %s -> a report and exit code 3',
    async (signal) => {
      const server = await serveRaw(() => undefined);
      const json = at(`${signal}.json`);
      const { child, ended } = start([
        ...['test', server.url, '--api-key', 'key', '--report', `json=${json}`],
      ]);
      child.stderr?.once('data', () => child.kill(signal));
      expect((await ended).code).toBe(3);
      expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ verdict: 'incomplete' });
      await server.close();
    },
  );

  test('check -, SIGTERM while its input is open -> a report and exit code 3', async () => {
    const { child, ended } = start(['check', '-', '--report', 'json=-']);
    // A pipe's buffer is smaller than this text, so once the write has finished, the command is
    // reading.
    child.stdin?.write(' '.repeat(1 << 20), () => child.kill('SIGTERM'));
    const { code, stdout } = await ended;
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'incomplete', replies: 0 });
  });

  test('check - with a correct plan -> exit code 0; with a plan that is off by one base unit -> 1', async () => {
    const plan = tinyPlan('1000');
    const broken = { ...plan, sell: { referenceId: 0, amount: '999' } };
    expect(await swapcheck(['check', '-'], JSON.stringify(plan))).toMatchObject({ code: 0 });
    const { code, stdout } = await swapcheck(['check', '-'], JSON.stringify(broken));
    expect(code).toBe(1);
    expect(stdout).toContain('plan/conserves-sell');
  });
});
