import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { readSwapBody } from '../checks/plan.ts';
import { MAX_SKETCH_EDGES, sketchPlan } from './plan-sketch.ts';

const sketchOf = (document: unknown, pointer?: string) =>
  sketchPlan(readSwapBody(document), pointer);

const route = (from: unknown, to: unknown, amount: unknown = '10') => ({
  address: '0xpool',
  name: 'Source',
  fromTokens: [{ referenceId: from, amount }],
  toTokens: [{ referenceId: to, amount: '5' }],
});

describe('sketchPlan', () => {
  test('two routes from one token -> the share of each', () => {
    const sketch = sketchOf({ tokens: [], routes: [route(0, 1, '75'), route(0, 2, '25')] });
    expect(sketch?.routes.map(({ fromTokens }) => fromTokens[0]?.share)).toEqual([0.75, 0.25]);
  });

  test('a hundred thousand routes -> the maximum, including the named route', () => {
    const routes = Array.from({ length: 100_000 }, (_, at) => route(at, at + 1));
    const sketch = sketchOf({ tokens: [], routes }, '/routes/99999/toTokens/0/amount');
    expect(sketch?.routes).toHaveLength(MAX_SKETCH_EDGES);
    expect(sketch?.routes.at(-1)?.index).toBe(99_999);
    expect(sketch?.omittedRoutes).toBe(100_000 - MAX_SKETCH_EDGES);
  });

  test('many tokens -> the token that the pointer names is included', () => {
    const tokens = Array.from({ length: 500 }, (_, referenceId) => ({ referenceId, symbol: 'T' }));
    const sketch = sketchOf({ tokens, routes: [] }, '/tokens/321/decimals');
    expect(sketch?.tokens.map(({ index }) => index)).toContain(321);
    expect(sketch?.tokens).toHaveLength(60);
    expect(sketch?.omittedTokens).toBe(440);
  });

  test('the number 3 and the string "3" -> two references', () => {
    const sketch = sketchOf({ routes: [route(3, '3')] });
    expect(sketch?.routes[0]?.fromTokens[0]?.ref).toBe('3');
    expect(sketch?.routes[0]?.toTokens[0]?.ref).toBe('"3"');
  });

  test('an amount of a million digits -> quoted, shortened, without a share', () => {
    const sketch = sketchOf({ routes: [route(0, 1, '9'.repeat(1_000_000))] });
    expect(sketch?.routes[0]?.fromTokens[0]?.amount).toHaveLength(90);
    expect(sketch?.routes[0]?.fromTokens[0]).not.toHaveProperty('share');
  });

  test('a document without routes and tokens -> no sketch', () => {
    for (const document of [undefined, null, [], 'x', { routes: 3 }, { routes: [], tokens: [] }]) {
      expect(sketchOf(document)).toBeUndefined();
    }
  });

  test('any JSON -> never throws, and never exceeds the maximum', () => {
    forAll(
      [
        fc.record({
          sell: fc.jsonValue(),
          routes: fc.array(fc.jsonValue()),
          tokens: fc.jsonValue(),
        }),
        fc.string(),
      ],
      { seed: 1 },
      (document, pointer) => {
        const sketch = sketchOf(document, pointer);
        expect(sketch?.routes.length ?? 0).toBeLessThanOrEqual(MAX_SKETCH_EDGES);
      },
    );
  });
});
