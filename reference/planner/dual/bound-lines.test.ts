import { describe, expect, test } from 'vitest';
import { lowerBoundFor, upperBoundAt } from './bound-lines.ts';

const near = { price: 2, profit: 10, maxInput: 100 };
const anywhere = { price: 1, profit: 60, maxInput: Number.POSITIVE_INFINITY };

describe('upperBoundAt', () => {
  test.each([
    ['between the lines -> the higher one', 40, 100],
    ['the end of a line -> that line', 100, 210],
    ['beyond the end of a line -> no bound', 101, Number.POSITIVE_INFINITY],
  ])('%s', (_, input, bound) => {
    expect(upperBoundAt([near, anywhere], input)).toBe(bound);
  });

  test('no lines -> no bound', () => {
    expect(upperBoundAt([], 40)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('lowerBoundFor', () => {
  test.each([
    ['an output that both lines reach -> the smaller input', 110, 50],
    ['an output beyond the end of a line -> the end of that line', 500, 100],
    ['an output that the pools yield without any input -> 0', 5, 0],
  ])('%s', (_, output, bound) => {
    expect(lowerBoundFor([near, anywhere], output)).toBe(bound);
  });

  test('no lines -> 0', () => {
    expect(lowerBoundFor([], 110)).toBe(0);
  });
});
