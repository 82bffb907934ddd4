import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { NO_FACTS } from '../discovery/discover.ts';
import type { Progress } from '../model/events.ts';
import { createProgress } from './progress.ts';
import { sampleReport } from './sample-report.testing.ts';

const progress = (changes: Partial<Progress> = {}) => ({
  type: 'progress' as const,
  progress: {
    phase: 'probes' as const,
    requests: 300,
    failing: 2,
    probesDone: 4,
    probes: 10,
    elapsedMs: 1500,
    ...changes,
  },
});

async function show(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 100, rows: 30 });
  let clock = 0;
  const listener = await createProgress(stream, () => clock, {});
  return {
    listener,
    wait: (ms: number) => {
      clock += ms;
    },
    text: () => String(stream.read() ?? ''),
  };
}

describe('createProgress', () => {
  test('no terminal -> a plain line for each phase, then one every five seconds', async () => {
    const { listener, wait, text } = await show(false);
    listener(progress({ phase: 'discovery' }));
    listener(progress());
    wait(4999);
    listener(progress({ requests: 301 }));
    wait(1);
    listener(progress({ requests: 302 }));
    expect(text()).toBe(
      'discovery, 300 requests, 200/s, 2 failing\n' +
        'probes, 4 of 10 probes, 300 requests, 200/s, 2 failing\n' +
        'probes, 4 of 10 probes, 302 requests, 201/s, 2 failing\n',
    );
  });

  test('after discovery -> percentage done and time left, below 100% until the end', async () => {
    const { listener, text } = await show(false);
    listener(progress({ leftMs: 4_500 }));
    listener(progress({ phase: 'traffic', requests: 1_300, leftMs: 1, elapsedMs: 1_499 }));
    listener(progress({ phase: 'settlement', leftMs: undefined }));
    expect(text()).toBe(
      'probes, 4 of 10 probes, 300 requests, 200/s, 25% done, about 5 s left, 2 failing\n' +
        'traffic, 4 of 10 probes, 1300 requests, 867/s, 99% done, about 1 s left, 2 failing\n' +
        'settlement, 4 of 10 probes, 300 requests, 200/s, 2 failing\n',
    );
  });

  test('no failure yet, and a limited rate -> shows the rate-limited replies, and no count of failures', async () => {
    const { listener, text } = await show(false);
    listener(progress({ failing: 0, rateLimited: 31 }));
    expect(text()).toBe('probes, 4 of 10 probes, 300 requests (31 rate-limited), 200/s\n');
  });

  test.each([
    [undefined, 'about 5 s to go\n'],
    [
      { share: 0.38, why: 'replies take 2.5 s', quickMs: 93_750 },
      'about 5 s to go, with 38% of the usual requests to end in time: replies take 2.5 s. --profile quick takes about 94 s.\n',
    ],
  ])(
    'the end of discovery, with slowdown %j -> the time left, and the reason for the slowdown',
    async (slowdown, expected) => {
      const { listener, text } = await show(false);
      listener({ type: 'discovery-finished', facts: NO_FACTS, expectedMs: 4_200, slowdown });
      expect(text()).toBe(expected);
    },
  );

  test('no terminal, a service that limits the rate -> reported once in five seconds', async () => {
    const { listener, text } = await show(false);
    listener({ type: 'rate-limited', waitMs: 2000 });
    listener({ type: 'rate-limited', waitMs: 2000 });
    expect(text()).toBe('the service limits the rate: waiting 2.0 s\n');
  });

  test('a terminal -> the line is redrawn at most ten times a second, and removed at the end', async () => {
    const { listener, wait, text } = await show(true);
    listener(progress());
    expect(text()).toContain('probes, 4 of 10 probes, 300 requests, 200/s, 2 failing');
    wait(99);
    listener(progress({ requests: 999 }));
    expect(text()).toBe('');
    wait(1);
    listener(progress({ requests: 450 }));
    expect(text()).toContain('450 requests');
    listener({ type: 'run-finished', report: sampleReport() });
    expect(text()).toContain(`${String.fromCharCode(27)}[2K`);
  });
});
