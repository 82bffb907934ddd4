import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createExecutor } from '../../conformance/execution/executor.ts';
import { createRpc } from '../../conformance/execution/node/json-rpc.ts';
import { startNodeProxy } from '../../conformance/execution/node/node-proxy.testing.ts';
import type { Session } from '../../conformance/model/session.ts';
import {
  type ReferenceBench,
  startReferenceBench,
} from '../../fixtures/testing/reference-bench.testing.ts';
import { mine } from '../../fixtures/testing/send.testing.ts';
import { playNode, type Recording, recordNode, runRecordedNode } from './recorded-node.ts';

const chainId = 31337;
let bench: ReferenceBench;
let service: Session;

beforeAll(async () => {
  bench = await startReferenceBench([chainId]);
  service = await bench.session();
});

afterAll(() => bench.stop());

async function settle(rpcUrl: string) {
  const executor = createExecutor(
    { forks: [{ chainId, rpcUrl }], plans: 12, salt: 'recorded' },
    service,
  );
  const execution = await executor.execute('as-returned');
  await executor.close();
  if (execution.kind !== 'executed') throw new Error(execution.why);
  return execution.items.map(({ effects }) =>
    effects.kind === 'settled' ? [effects.spent, effects.received] : effects.reason,
  );
}

describe('a recorded node', () => {
  let recorded: Recording;
  let settled: Awaited<ReturnType<typeof settle>>;

  test('a recording while the chain advances -> one block, and no URL in the file', async () => {
    const upstream = bench.sources[0]?.rpcUrl ?? '';
    const keyed = await startNodeProxy(upstream);
    const node = await recordNode(keyed.url);
    const origin = createRpc(upstream);
    await mine(origin);
    settled = await settle(node.url);
    await node.stop();
    await keyed.stop();
    recorded = node.recorded();
    expect(settled.length).toBeGreaterThanOrEqual(10);
    expect(settled.every((each) => typeof each !== 'string')).toBe(true);
    expect(recorded.block).toBe(Number(await origin<string>('eth_blockNumber')) - 1);
    expect(JSON.stringify(recorded)).not.toMatch(/a1b2c3d4e5f6|127\.0\.0\.1/);
  });

  test('playback without the chain -> every plan has the same outcome, and no call is missing', async () => {
    const node = await playNode(JSON.parse(JSON.stringify(recorded)) as Recording);
    expect(await settle(node.url)).toEqual(settled);
    expect(node.missing).toEqual([]);
    await node.stop();
  });

  test('an unrecorded call -> an error that names it', async () => {
    const node = await playNode(recorded);
    const call = createRpc(node.url)('eth_getBalance', [`0x${'E'.repeat(40)}`, 'latest']);
    await expect(call).rejects.toThrow(/the recording lacks eth_getBalance \["0xe/);
    expect(node.missing).toHaveLength(1);
    await node.stop();
  });
});

test.each([
  [['record', 'x.json'], /missing required argument 'URL'/, 2],
  [['record', 'x.json', 'node.example/SECRET'], /^error: invalid URL of a node/, 2],
  [
    ['record', 'package.json/x.json', 'http://127.0.0.1:1/SECRET'],
    /^error: FILE cannot be written/,
    2,
  ],
  [
    ['record', join(tmpdir(), 'x.json'), 'http://127.0.0.1:1/SECRET'],
    /^error: the node at http:..127/,
    3,
  ],
  [['play', 'nowhere.json'], /^error: nowhere.json cannot be read \(ENOENT\)/, 2],
  [['play', 'package.json'], /^error: package.json is not a recording of a node: it must have/, 2],
  [['play', 'package.json', '--port', '99999'], /'99999' is invalid. Expected a whole number/, 2],
])('recorded-node %j -> one sentence, and no key', async (args, sentence, code) => {
  let stderr = '';
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text;
    return true;
  });
  const before = process.exitCode;
  await runRecordedNode(args);
  const ended = process.exitCode;
  process.exitCode = before;
  spy.mockRestore();
  expect(stderr).toMatch(sentence);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).not.toContain('SECRET');
  expect(ended).toBe(code);
});

test('the program as a process -> runs the command', async () => {
  const script = ['--import', 'tsx', 'scripts/tests/recorded-node.ts', 'pause'];
  await expect(promisify(execFile)(process.execPath, script)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown command 'pause'"),
  });
});
