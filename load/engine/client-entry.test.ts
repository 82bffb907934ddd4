import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from '../../fixtures/testing/built-program.testing.ts';
import { sampleMix } from '../mix/sample-mix.testing.ts';
import type { FromClient, ToClient } from './client-entry.ts';
import type { ClientOrder } from './client-order.ts';
import { closeServers, constantRate, listen } from './engine.testing.ts';

afterAll(closeServers);

const ENTRY = join(PROGRAM, '../../load/engine/client-entry.js');
const REPLY = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

describe('a client process', () => {
  const open = (rate: number, durationS: number) =>
    ({ model: 'open', stages: constantRate(rate, durationS) }) as const;
  const closed = { model: 'closed', durationS: 60 } as const;

  test.each<
    [
      what: string,
      ClientOrder['workload'],
      reply: string,
      when: (child: ChildProcess) => Promise<unknown>,
    ]
  >([
    ['before it has read its order', open(100, 60), REPLY, async () => {}],
    ['at saturation, with every reply sampled', open(1_000_000, 60), REPLY, inRun],
    ['in a closed run', closed, REPLY, inRun],
    // Recording this many requests takes a quarter of an hour.
    ['while it records unsent requests', open(1_000_000_000, 1), '', afterSchedule],
  ])('whose parent ends %s -> also ends', async (_what, workload, reply, when) => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('data', () => socket.write(reply));
    });
    const child = fork(ENTRY, { serialization: 'advanced' });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.on('message', ({ kind }: FromClient) => {
      if (kind === 'connected') child.send('go' satisfies ToClient);
    });
    child.send({
      ...{
        origin: (await listen(server)).href,
        workload,
        mix: sampleMix,
      },
      ...{ connections: 10, timeoutMs: 1000, warmUpS: 0, share: { index: 0, count: 1 } },
      ...{ samplesPerSecond: Number.POSITIVE_INFINITY, apiKey: 'key' },
    } satisfies ToClient);
    await when(child);
    child.disconnect();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});

async function untilSent(child: ChildProcess, kind: FromClient['kind']): Promise<void> {
  for await (const [message] of on(child, 'message')) if (message.kind === kind) return;
}

function inRun(child: ChildProcess): Promise<void> {
  return untilSent(child, 'intervals');
}

/**
 * Waits for the second of the schedule and the second in which its requests time out. On a busy
 * machine, they may end before the first intervals are sent.
 */
async function afterSchedule(child: ChildProcess): Promise<void> {
  await untilSent(child, 'connected');
  await setTimeout(2500);
}
