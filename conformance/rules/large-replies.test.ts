import { expect, test } from 'vitest';
import { given, goldenSwap } from '../model/golden-replies.testing.ts';
import { verdictOn } from '../rule-kit/broken-replies.testing.ts';
import { CATALOG } from './catalog.ts';

test('a hundred thousand faults in one reply -> a few findings', () => {
  const body = goldenSwap();
  body.routes = Array.from({ length: 100_000 }, () => ({ address: 5 }));
  const input = given(body);
  const found = new Map(
    CATALOG.map((rule) => [rule.id, verdictOn(rule, input)?.findings.length ?? 0]),
  );
  expect(found.get('route/address')).toBe(8);
  expect(Math.max(...found.values())).toBe(8);
});
