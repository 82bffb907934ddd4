import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutbox, type LoadSample } from './client.ts';

const sample = (bytes = 1): LoadSample => ({
  endpoint: 'swap',
  target: '/?',
  status: 200,
  dueMs: 0,
  latencyMs: 1,
  rawHeaders: [],
  body: Buffer.alloc(bytes),
});

function openOutbox() {
  const batches: { samples: number; omitted: number }[] = [];
  const pending: (() => void)[] = [];
  const outbox = createOutbox((report, onTaken) => {
    if (report.kind !== 'samples') throw new Error('an outbox sends only samples');
    batches.push({ samples: report.samples.length, omitted: report.omitted });
    pending.push(onTaken);
  });
  const addSamples = (count: number, bytes?: number): void => {
    for (let i = 0; i < count; i++) outbox.add(sample(bytes));
  };
  return { ...outbox, addSamples, batches, take: () => pending.shift()?.() };
}

test('a receiver that accepts no batch -> five batches of samples; later samples are omitted and counted', () => {
  const { addSamples, batches, flush, take } = openOutbox();
  addSamples(256 * 5 + 70);
  expect(batches).toEqual(Array(4).fill({ samples: 256, omitted: 0 }));
  take();
  addSamples(1);
  expect(batches.slice(4)).toEqual([{ samples: 256, omitted: 70 }]);
  flush();
  expect(batches.slice(5)).toEqual([{ samples: 1, omitted: 0 }]);
});

test('large replies -> omitted beyond five megabytes', () => {
  const { addSamples, batches, flush } = openOutbox();
  addSamples(60, 2 ** 17);
  flush();
  expect(batches.map(({ samples }) => samples)).toEqual([8, 8, 8, 8, 8]);
  expect(batches.at(-1)?.omitted).toBe(20);
});

test('any pace of the receiver -> every sample is sent or counted as omitted', () => {
  const steps = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 700 }), fc.constantFrom('take', 'flush')),
  );
  fc.assert(
    fc.property(steps, (some) => {
      const { addSamples, batches, flush, take } = openOutbox();
      let added = 0;
      for (const step of some) {
        if (step === 'take') take();
        else if (step === 'flush') flush();
        else {
          addSamples(step);
          added += step;
        }
      }
      flush();
      const reported = batches.reduce((sum, { samples, omitted }) => sum + samples + omitted, 0);
      expect(reported).toBe(added);
    }),
  );
});
