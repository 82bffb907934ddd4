import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { abortable } from './abortable.ts';

describe('abortable', () => {
  const ended = AbortSignal.abort('over');
  const silence = new Promise<never>(() => {});

  test.each([
    ['going on', new AbortController().signal],
    ['ended', ended],
  ])('%s, work that ends soon -> its result or its error', async (_, signal) => {
    await expect(abortable(signal, setTimeout(10, 'done'))).resolves.toBe('done');
    await expect(abortable(signal, Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  });

  test('an abort before or during the work -> rejects with the reason', async () => {
    await expect(abortable(ended, silence)).rejects.toBe('over');
    const controller = new AbortController();
    const left = abortable(controller.signal, silence);
    controller.abort('now');
    await expect(left).rejects.toBe('now');
  });
});
