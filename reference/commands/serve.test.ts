import type { ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PROGRAM } from '../../fixtures/testing/built-program.testing.ts';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { startProgram } from '../../fixtures/testing/start-program.testing.ts';
import { serve as serveRequests } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { CHAIN_ID, SimulatedChain } from '../market/live/simulated-chain.testing.ts';
import { fetchOf, replyAt } from '../market/live/simulated-node.testing.ts';
import { requestUntilRefused } from '../server/keep-requesting.testing.ts';
import { WETH } from '../server/small-market.testing.ts';
import { type ServeOptions, serve } from './serve.ts';
import { createServeCommand } from './serve-command.ts';

const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const { write: writeFile } = useFolder();
const marketFile = writeFile('market.json', {
  format: 1,
  chainId: 77,
  name: 'From a file',
  block: { number: 1, timestamp: 1, hash: `0x${'0'.repeat(64)}` },
  usdToken: WETH,
  wrappedNative: WETH,
  tokens: [{ address: WETH, name: 'Wrapped', symbol: 'WETH', decimals: 18, logoURI: '' }],
  pools: [],
  routers: [],
});

async function stopUnderLoad(child: ChildProcess, url: string, signal: NodeJS.Signals) {
  const target = `${url}/api/v1.0/chains?apiKey=lost`;
  const clients = Array.from({ length: 16 }, () => requestUntilRefused(target));
  await Promise.all(clients.map(({ responded }) => responded));
  child.kill(signal);
  await Promise.all(clients.map(({ closed }) => closed));
}

const OPTIONS: ServeOptions = {
  marketFiles: [marketFile],
  poolsFiles: [],
  nodes: [],
  maxBlockAges: new Map(),
  port: 0,
  host: '127.0.0.1',
  apiKeys: [],
  forms: [],
};

function start(...args: string[]) {
  const argv = [PROGRAM, 'serve', '--port', '0', '--market', marketFile, ...args];
  const { child, printed, ended } = startProgram(process.execPath, argv, {
    env: { ...process.env, SWAPCHECK_API_KEY: 'from-environment' },
  });
  running.push(child);
  const url = new Promise<string>((resolve) => {
    child.stderr?.on('data', () => {
      const [listens] = /http:\S+(?=\n)/.exec(printed.stderr) ?? [];
      if (listens !== undefined) resolve(listens);
    });
  });
  return { child, printed, exited: ended.then(({ code }) => code), url };
}

const chains = (url: string, key: string) => fetch(`${url}/api/v1.0/chains?apiKey=${key}`);

describe('swapcheck serve', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s -> exit 0, one line with the URL, no request on 16 persistent connections lost, no key printed',
    async (signal) => {
      const { child, printed, exited, url } = start();
      const reply = await chains(await url, 'from-environment');
      expect(await reply.json()).toEqual([{ chainId: 77, name: 'From a file' }]);
      expect((await chains(await url, 'demo')).status).toBe(400);
      await stopUnderLoad(child, await url, signal);
      expect(await exited).toBe(0);
      expect(printed.stderr.trim().split('\n')).toHaveLength(1);
      expect(printed.stdout).toBe('');
      expect(printed.stderr).not.toContain('from-environment');
    },
  );

  test('--api-key twice -> both are accepted, but not the key in the environment', async () => {
    const { url } = start('--api-key', 'a', '--api-key', 'b\r\n');
    const statuses = [];
    for (const key of ['a', 'b', 'from-environment']) {
      statuses.push((await chains(await url, key)).status);
    }
    expect(statuses).toEqual([200, 200, 400]);
  });

  test.each(['', '\n'])('--api-key %j -> exit 2', async (key) => {
    expect(await runCommand(createServeCommand(), ['--api-key', key])).toMatchObject({
      code: 2,
      text: expect.stringContaining('--api-key is empty: expected a key that clients send'),
    });
  });

  test('--api-key-file -> each line of the file is an accepted key', async () => {
    const { url } = start('--api-key-file', writeFile('keys', 'one\r\n\n  t#wo\n'));
    const statuses = [];
    for (const key of ['one', 't%23wo', 'from-environment']) {
      statuses.push((await chains(await url, key)).status);
    }
    expect(statuses).toEqual([200, 200, 400]);
  });

  test.each([
    ['its first reply', false],
    ['a later reply', true],
  ])('SIGTERM while a node stalls in the middle of %s -> exit 0', async (_, servesBefore) => {
    const chain = new SimulatedChain();
    const poolsFile = writeFile('pools.json', chain.file);
    const respond = fetchOf((part) => replyAt(chain, part));
    let stalls = !servesBefore;
    let resolveStalled = () => {};
    const stalled = new Promise<void>((resolve) => {
      resolveStalled = resolve;
    });
    const node = await serveRequests(async (request, response) => {
      const reply = await respond('', { body: await text(request) });
      if (!stalls) {
        response.end(await reply.text());
        return;
      }
      response.writeHead(200).write('[');
      resolveStalled();
    });
    const rpc = `${CHAIN_ID}=${node.url}`;
    const { child, exited, url } = start('--pools', poolsFile, '--rpc', rpc);
    if (servesBefore) await url;
    stalls = true;
    await stalled;
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    await node.close();
  });

  async function failure(options: Partial<ServeOptions>) {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const exitCode = await serve({ ...OPTIONS, ...options });
    const output = write.mock.calls.map(([text]) => text);
    write.mockRestore();
    return [...output, exitCode];
  }

  test('a port in use -> a one-sentence error and exit 2', async () => {
    const taken = await serveRequests(() => {});
    const port = Number(new URL(taken.url).port);
    const sentence = `error: Cannot listen on 127.0.0.1:${port}: the port is in use.\n`;
    expect(await failure({ port })).toEqual([sentence, 2]);
    await taken.close();
  });

  test.each([
    ['', 'expected at least one key'],
    ['a\nsecret rate=5\n', ', line 2: expected one key without spaces'],
    ['sha256:0123\n', ', line 1: expected one key without spaces'],
  ])('a file of keys %j -> a one-sentence error without a key, and exit 2', async (text, why) => {
    const apiKeyFile = writeFile('bad-keys', text);
    const [sentence, code] = await failure({ apiKeyFile });
    expect([sentence, code]).toEqual([expect.stringContaining(why), 2]);
    expect(sentence).not.toContain('secret');
  });
});
