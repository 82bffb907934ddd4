import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { unlessEnded } from './unless-ended.ts';

describe('unlessEnded', () => {
  const ended = AbortSignal.abort('over');
  const silence = new Promise<never>(() => {});

  test.each([
    ['going on', new AbortController().signal],
    ['ended', ended],
  ])('%s, and work that soon is done -> what it returns or throws', async (_, signal) => {
    await expect(unlessEnded(signal, setTimeout(10, 'done'))).resolves.toBe('done');
    await expect(unlessEnded(signal, Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  });

  test('ended before or while the work waits -> left, with the reason', async () => {
    await expect(unlessEnded(ended, silence)).rejects.toBe('over');
    const controller = new AbortController();
    const left = unlessEnded(controller.signal, silence);
    controller.abort('now');
    await expect(left).rejects.toBe('now');
  });
});
