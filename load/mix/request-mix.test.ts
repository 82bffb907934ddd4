import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { createRequestSource, drawAmount, EmptyMixError, type RequestMix } from './request-mix.ts';

const mix: RequestMix = {
  seed: 7,
  kinds: [
    {
      endpoint: 'swap',
      weight: 3,
      expect: 'success',
      templates: [{ before: '/s?a=', amountLog10: [6, 12], after: '&b' }],
    },
    { endpoint: 'chains', weight: 1, expect: 'success', templates: [{ target: '/c' }] },
  ],
};

describe('createRequestSource', () => {
  test('a request number -> the same request from every source of a mix', () => {
    const [a, b] = [createRequestSource(mix, ''), createRequestSource(mix, '')];
    const later = Array.from({ length: 200 }, (_, i) => b(199 - i)).reverse();
    expect(Array.from({ length: 200 }, (_, i) => a(i))).toEqual(later);
  });

  test('another seed -> other requests', () => {
    const [a, b] = [createRequestSource(mix, ''), createRequestSource({ ...mix, seed: 8 }, '')];
    const same = Array.from({ length: 100 }, (_, i) => a(i).target === b(i).target);
    expect(same.filter(Boolean).length).toBeLessThan(40);
  });

  test('weights 3 to 1 -> three quarters of the requests', () => {
    const source = createRequestSource(mix, '');
    const swaps = Array.from({ length: 10_000 }, (_, i) => source(i).endpoint === 'swap');
    expect(swaps.filter(Boolean).length / 10_000).toBeCloseTo(0.75, 1);
  });

  test('amounts -> log-uniform: each decade equally often', () => {
    const source = createRequestSource(mix, '');
    const decades = new Array<number>(13).fill(0);
    for (let i = 0; i < 8000; i++) {
      const digits = /a=(\d+)/.exec(source(i).target)?.[1];
      if (digits !== undefined) decades[digits.length - 1] = (decades[digits.length - 1] ?? 0) + 1;
    }
    for (const seen of decades.slice(6, 12)) expect(seen).toBeGreaterThan(850);
    expect(decades.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('a key -> percent-encoded at the end of every request, not in the mix', () => {
    const source = createRequestSource(mix, 'a&b');
    for (let i = 0; i < 50; i++) expect(source(i).target).toMatch(/a%26b$/);
  });

  test('a mix without kinds -> an error that names the cause', () => {
    expect(() => createRequestSource({ seed: 1, kinds: [] }, '')).toThrow(EmptyMixError);
  });
});

describe('drawAmount', () => {
  test('any range -> a canonical positive amount inside it', () => {
    forAll(
      [
        fc.double({ min: 0, max: 40, noNaN: true }),
        fc.double({ min: 0, max: 30, noNaN: true }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      ],
      { seed: 1 },
      (smallest, width, point) => {
        const amount = drawAmount([smallest, smallest + width], point);
        expect(amount).toMatch(/^[1-9][0-9]*$/);
        const log10 = amount.length - 1 + Math.log10(Number(`0.${amount}`) * 10);
        expect(log10).toBeGreaterThan(smallest - 0.31);
        expect(log10).toBeLessThan(smallest + width + 1e-6);
      },
    );
  });
});
