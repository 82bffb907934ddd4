import { expect, test, vi } from 'vitest';
import { interruptible, TimeSpentError } from './interruptible.ts';

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s -> aborts; a second signal ends the process', async (name, code) => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  try {
    let aborted = false;
    await interruptible(async (signal) => {
      process.emit('SIGTERM', 'SIGTERM');
      aborted = signal.aborted;
      expect(exit).not.toHaveBeenCalled();
      process.emit(name, name);
    });
    expect(aborted).toBe(true);
    expect(exit.mock.calls).toEqual([[code]]);
  } finally {
    exit.mockRestore();
  }
});

test('after the work -> signals are no longer handled', async () => {
  const before = process.listenerCount('SIGINT');
  await interruptible(async () => expect(process.listenerCount('SIGINT')).toBe(before + 1));
  await expect(interruptible(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(process.listenerCount('SIGINT')).toBe(before);
});

test('time spent -> aborts with the time limit as the reason', async () => {
  const reason = await interruptible(
    (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(signal.reason));
      }),
    1,
  );
  expect(reason).toBeInstanceOf(TimeSpentError);
  expect(reason).toMatchObject({ message: 'the budget of 0.001 s is spent' });
});
