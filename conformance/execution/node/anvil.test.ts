import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROGRAM } from '../../../fixtures/testing/built-program.testing.ts';
import { useFolder } from '../../../fixtures/testing/use-folder.testing.ts';
import { type AnvilNode, AnvilStartError, startAnvil } from './anvil.ts';
import { AnvilNotFoundError, findAnvil } from './find-anvil.ts';
import { createRpc } from './json-rpc.ts';
import { isResponding } from './until-end.testing.ts';

const running: AnvilNode[] = [];

async function started(...options: Parameters<typeof startAnvil>): Promise<AnvilNode> {
  const node = await startAnvil(...options);
  running.push(node);
  return node;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((node) => node.stop()));
});

const rpc = (url: string, method: string, params: readonly unknown[] = []) =>
  createRpc(url)(method, params);

const expectNoNodeAt = (url: string) => expect.poll(() => isResponding(url)).toBe(false);

describe('startAnvil', () => {
  test('options -> a chain as they describe it', async () => {
    const node = await started({ chainId: 4242, timestamp: 1_700_000_000 });
    expect(await rpc(node.url, 'eth_chainId')).toBe('0x1092');
    const block = await rpc(node.url, 'eth_getBlockByNumber', ['latest', false]);
    expect(block).toMatchObject({ number: '0x0', timestamp: '0x6553f100', baseFeePerGas: '0x0' });
  });

  test('an environment with proxies and log levels -> Anvil still calls the node on the loopback interface', async () => {
    const origin = await started({ chainId: 4243 });
    const proxy = 'http://127.0.0.1:9';
    const surroundings = {
      HTTP_PROXY: proxy,
      http_proxy: proxy,
      ALL_PROXY: proxy,
      RUST_LOG: 'trace',
    };
    for (const [name, value] of Object.entries(surroundings)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const node = await started({ fork: { url: origin.url } });
    expect(await rpc(node.url, 'eth_chainId')).toBe('0x1093');
  });

  test('a fork -> the state of the other node, even after that node is rebuilt at the same block', async () => {
    const account = '0x00000000000000000000000000000000000000aa';
    for (const balance of ['0x7b', '0x7c']) {
      const origin = await started();
      await rpc(origin.url, 'anvil_setBalance', [account, balance]);
      const fork = await started({ fork: { url: origin.url, blockNumber: 0 } });
      expect(await rpc(fork.url, 'eth_getBalance', [account, 'latest'])).toBe(balance);
    }
  });

  test('stop -> the node has ended; a second stop -> no error', async () => {
    const node = await started();
    await node.stop();
    expect(await isResponding(node.url)).toBe(false);
    await node.stop();
  });

  test('an unreachable fork -> AnvilStartError without the key in its URL', async () => {
    const url = 'http://127.0.0.1:1/v2/secret-key?token=hush';
    const error = await startAnvil({ fork: { url } }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AnvilStartError);
    expect(String(error)).toMatch(/127\.0\.0\.1:1/);
    expect(JSON.stringify(error) + String(error) + String((error as Error).stack)).not.toMatch(
      /secret-key|hush/,
    );
  });

  test('a node that accepts connections but never responds -> AnvilStartError after the timeout', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    await expect(
      startAnvil({ fork: { url: `http://127.0.0.1:${port}` }, startTimeoutMs: 300 }),
    ).rejects.toBeInstanceOf(AnvilStartError);
    silent.close();
  });

  test('a taken port -> AnvilStartError', async () => {
    const node = await started();
    await expect(startAnvil({ port: node.port })).rejects.toThrow(/in use/i);
  });

  test.each([
    [{ binary: '/nonexistent/anvil' }, /^Anvil did not start: .*\/nonexistent\/anvil: not found$/],
    [
      { binary: '/nonexistent/anvil', platform: 'win32' },
      /^Anvil did not start: spawn \/nonexistent\/anvil ENOENT$/,
    ],
    [{ binary: '/bin/true' }, /^Anvil did not start: it ended without a message$/],
    [{ loadState: '/nonexistent' }, /^Anvil did not start: invalid value .*No such file[^\n]*$/],
  ] as const)('%j -> AnvilStartError of one sentence', async (options, message) => {
    const error = await startAnvil(options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AnvilStartError);
    expect((error as Error).message).toMatch(message);
  });

  test('a program that listens but does not speak HTTP -> AnvilStartError of one sentence', async () => {
    const { write } = useFolder(onTestFinished);
    const binary = write(
      'anvil',
      '#!/bin/sh\necho "a banner"\necho "Listening on 127.0.0.1:1"\nsleep 9',
    );
    chmodSync(binary, 0o755);
    await expect(startAnvil({ binary })).rejects.toThrow(
      /^Anvil did not start: it listens, but its first call failed: [^\n]*$/,
    );
  });
});

type Holder = { readonly child: ChildProcess; readonly url: string };

describe('nothing is left running', () => {
  const built = pathToFileURL(join(PROGRAM, '../../conformance/execution/node/anvil.js'));
  const script = `
    import { startAnvil } from ${JSON.stringify(built.href)};
    const node = await startAnvil({ platform: process.argv[3] });
    process.stdout.write(node.url + '\\n');
    await new Promise((resolve) => process.stdin.once('data', resolve));
    if (process.argv[2] === 'exit') process.exit(0);
    if (process.argv[2] === 'throw') throw new Error('crash');
    if (process.argv[2] === 'stop') await node.stop();
    process.stdout.write(JSON.stringify(process.getActiveResourcesInfo()));
  `;
  const file = useFolder().write('holder.mjs', script);

  async function holder(end: string, platform: NodeJS.Platform = 'linux'): Promise<Holder> {
    const child = spawn(process.execPath, [file, end, platform], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const url = await new Promise<string>((resolve) => {
      child.stdout?.once('data', (line: Buffer) => resolve(line.toString().trim()));
    });
    return { child, url };
  }

  test.each([
    ['SIGKILL', 'linux'],
    ['SIGTERM', 'linux'],
    ['SIGINT', 'linux'],
    ['SIGKILL', 'win32'],
  ] as const)(
    '%s to the owner of a node, started as on %s -> the node is gone',
    async (signal, platform) => {
      const { child, url } = await holder('wait', platform);
      expect(await isResponding(url)).toBe(true);
      child.kill(signal);
      await expectNoNodeAt(url);
    },
  );

  test.each(['exit', 'throw'])('%s of the owner -> the node is gone', async (end) => {
    const { child, url } = await holder(end);
    child.stdin?.write('\n');
    await expectNoNodeAt(url);
  });

  test('a stopped node -> no timer keeps the parent process alive', async () => {
    const { child, url } = await holder('stop');
    const printed = new Promise<string>((resolve) => {
      child.stdout?.once('data', (text: Buffer) => resolve(text.toString()));
    });
    child.stdin?.end('\n');
    expect(JSON.parse(await printed)).not.toContain('Timeout');
    expect(await isResponding(url)).toBe(false);
  });
});

describe('findAnvil', () => {
  const nowhere = (specifier: string): string => {
    throw Object.assign(new Error(specifier), { code: 'MODULE_NOT_FOUND' });
  };

  test('ANVIL_BIN -> that file', () => {
    expect(findAnvil({ env: { ANVIL_BIN: process.execPath } })).toBe(process.execPath);
  });

  test('ANVIL_BIN without such a file -> AnvilNotFoundError that quotes it', () => {
    expect(() => findAnvil({ env: { ANVIL_BIN: '/no/such/anvil' } })).toThrow("'/no/such/anvil'");
  });

  test('no package -> the first anvil on the PATH', () => {
    const { folder, write } = useFolder(onTestFinished);
    chmodSync(write('anvil', '#!/bin/sh\n'), 0o755);
    expect(findAnvil({ env: { PATH: `/nowhere:${folder}` }, resolve: nowhere })).toBe(
      join(folder, 'anvil'),
    );
  });

  test('no Anvil at all -> AnvilNotFoundError that explains how to install it', () => {
    expect(() => findAnvil({ env: { PATH: '/nowhere' }, resolve: nowhere })).toThrow(
      AnvilNotFoundError,
    );
    expect(() => findAnvil({ env: {}, resolve: nowhere })).toThrow(/getfoundry\.sh.*ANVIL_BIN/);
  });
});
