import { expect, test } from 'vitest';
import { failing, given, goldenSwap } from './golden.testing.ts';

test('a hundred thousand faults in one reply -> a few findings', () => {
  const body = goldenSwap();
  body.routes = Array.from({ length: 100_000 }, () => ({ address: 5 }));
  const found = failing(given(body));
  expect(found.get('route/address')?.findings.length).toBe(8);
});
