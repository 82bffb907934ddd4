import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { WETH } from './small-market.testing.ts';

const ENTRY = fileURLToPath(new URL('serve-entry.testing.ts', import.meta.url));
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const folder = mkdtempSync(join(tmpdir(), 'swapcheck-serve-'));
afterAll(() => rmSync(folder, { recursive: true }));
const marketFile = join(folder, 'market.json');
writeFileSync(
  marketFile,
  JSON.stringify({
    format: 1,
    chainId: 77,
    name: 'From a file',
    block: { number: 1, timestamp: 1, hash: `0x${'0'.repeat(64)}` },
    usdToken: WETH,
    wrappedNative: WETH,
    tokens: [{ address: WETH, name: 'Wrapped', symbol: 'WETH', decimals: 18, logoURI: '' }],
    pools: [],
    routers: [],
  }),
);

const poolsFile = join(folder, 'pools.json');
writeFileSync(
  poolsFile,
  JSON.stringify({
    format: 1,
    chainId: 77,
    name: 'Live',
    usdToken: WETH,
    wrappedNative: WETH,
    pools: [{ family: 'concentrated', address: WETH, source: 'UniswapV3' }],
    routers: [{ name: 'default-router', address: WETH, sources: ['UniswapV3'] }],
  }),
);

/** Starts `serve` on a free port with one market of its own. */
function start(...args: string[]) {
  const argv = ['--import', 'tsx', ENTRY, '--port', '0', '--market', marketFile, ...args];
  const child = spawn(process.execPath, argv, {
    env: { ...process.env, SWAPCHECK_API_KEY: 'from-environment' },
  });
  running.push(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const url = async () => {
    await expect.poll(() => said.err, { timeout: 20_000 }).toContain('listens on');
    return /http:\S+/.exec(said.err)?.[0] as string;
  };
  return { child, said, exited, url };
}

const chains = (url: string, key: string) => fetch(`${url}/api/v1.0/chains?apiKey=${key}`);

describe('swapcheck serve', () => {
  test('SIGTERM -> exit 0, one line with the URL, one log line a request, no key anywhere', async () => {
    const { child, said, exited, url } = start();
    const reply = await chains(await url(), 'from-environment');
    expect(await reply.json()).toEqual([{ chainId: 77, name: 'From a file' }]);
    expect((await chains(await url(), 'demo')).status).toBe(400);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(said.err.trim().split('\n')).toHaveLength(1);
    const lines = said.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { method: 'GET', path: '/api/v1.0/chains', status: 200 },
      { method: 'GET', path: '/api/v1.0/chains', status: 400, error: 'UNKNOWN_API_KEY' },
    ]);
    expect(said.out + said.err).not.toContain('from-environment');
  });

  test('--api-key twice -> both are let in, the environment is not', async () => {
    const { child, exited, url } = start('--api-key', 'a', '--api-key', 'b');
    const statuses = [];
    for (const key of ['a', 'b', 'from-environment']) {
      statuses.push((await chains(await url(), key)).status);
    }
    expect(statuses).toEqual([200, 200, 400]);
    child.kill('SIGINT');
    expect(await exited).toBe(0);
  });

  test('a port in use -> one plain sentence and exit 2, with workers too', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    for (const workers of ['1', '2']) {
      const { said, exited } = start('--port', String(port), '--workers', workers);
      expect(await exited).toBe(2);
      expect(said.err).toBe(`Cannot listen on 127.0.0.1:${port}: the port is in use.\n`);
    }
    await new Promise((resolve) => taken.close(resolve));
  });

  test('a market file that is none -> one plain sentence and exit 2', async () => {
    const { said, exited } = start('--market', join(folder, 'absent.json'));
    expect(await exited).toBe(2);
    expect(said.err).toMatch(/^Cannot read market .*absent\.json: [^\n]+\n$/);
  });

  test.each([
    [[], 'Chain 77 is served live from one file of --pools and one node of --rpc: got 1 and 0.'],
    [['--rpc', '5=http://127.0.0.1:1/secret', '--rpc', '77=http://127.0.0.1:1/secret'], 'Chain 5 '],
    [
      ['--rpc', '77=http://127.0.0.1:1/secret'],
      'Cannot read chain 77 from its node: it cannot be reached.',
    ],
  ])('--pools with %j -> one plain sentence and exit 2', async (args, words) => {
    const { said, exited } = start('--pools', poolsFile, ...args);
    expect(await exited).toBe(2);
    expect(said.err).toContain(words);
    expect(said.err).not.toContain('secret');
    expect(said.err.trim().split('\n')).toHaveLength(1);
  });

  test('--workers 2, one killed -> another takes its place, and SIGTERM ends all with 0', async () => {
    const { child, said, exited, url } = start('--workers', '2');
    const base = await url();
    const pids = async () => {
      for (let n = 0; n < 8; n++) {
        // A new connection each time, so that both workers get some.
        await fetch(`${base}/api/v1.0/chains`, { headers: { connection: 'close' } });
      }
      await new Promise((resolve) => setTimeout(resolve, 700));
      const lines = said.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).pid as number);
      return new Set(lines);
    };
    const before = await pids();
    expect(before.size).toBe(2);
    const [victim] = before;
    process.kill(victim as number, 'SIGKILL');
    await expect.poll(() => said.err).toContain(`Worker ${victim} died (SIGKILL)`);
    await expect.poll(async () => (await pids()).size, { timeout: 20_000 }).toBe(3);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });
});
