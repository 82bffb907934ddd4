import { expect, test } from 'vitest';
import { noteOnDelayedWrites } from './delayed-writes.ts';

const timing = (p50Ms: number, p99Ms: number, requests = 500) => ({ requests, p50Ms, p99Ms });

test.each([
  ['http://127.0.0.1:8000', [timing(43.8, 47.1), timing(41, 44)], true],
  ['http://localhost:8000', [timing(44, 46), timing(3, 90, 4)], true],
  ['http://[::1]:8000', [timing(44, 46)], true],
  ['http://127.0.0.1:8000', [timing(44, 46), timing(2, 9)], false],
  ['http://127.0.0.1:8000', [timing(44, 120)], false],
  ['http://127.0.0.1:8000', [timing(44, 46, 4)], false],
  ['https://swap.example.org', [timing(44, 46)], false],
  ['http://127.0.0.1:8000', [], false],
])('%s with %j -> held back: %s', (target, timings, isHeldBack) => {
  const note = noteOnDelayedWrites(target, timings);
  expect(note?.includes('Write headers and body at once, or set TCP_NODELAY') ?? false).toBe(
    isHeldBack,
  );
});
