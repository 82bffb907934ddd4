import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import {
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
  sqrtRatioAtTick,
  tickAtSqrtRatio,
} from './tick-math.ts';

describe('sqrtRatioAtTick', () => {
  test.each([
    // Source: v3-core TickMath.spec.ts and its snapshot.
    [MIN_TICK, 4295128739n],
    [MIN_TICK + 1, 4295343490n],
    [MAX_TICK - 1, 1461373636630004318706518188784493106690254656249n],
    [MAX_TICK, 1461446703485210103287273052203988822378723970342n],
    [0, 79228162514264337593543950336n],
    [50, 79426470787362580746886972461n],
    [-50, 79030349367926598376800521322n],
    [100, 79625275426524748796330556128n],
    [-100, 78833030112140176575862854579n],
    [250, 80224679980005306637834519095n],
    [-250, 78244023372248365697264290337n],
    [500000, 5697689776495288729098254600827762987878n],
    [-500000, 1101692437043807371n],
    [738203, 847134979253254120489401328389043031315994541n],
  ])('TickMath.spec tick %i -> %i', (tick, ratio) => {
    expect(sqrtRatioAtTick(tick)).toBe(ratio);
  });

  test.each([MIN_TICK - 1, MAX_TICK + 1, Number.NaN])('tick %d -> RangeError', (tick) => {
    expect(() => sqrtRatioAtTick(tick)).toThrow(RangeError);
  });
});

describe('tickAtSqrtRatio', () => {
  test.each([
    // Source: v3-core TickMath.spec.ts.
    [MIN_SQRT_RATIO, MIN_TICK],
    [4295343490n, MIN_TICK + 1],
    [1461373636630004318706518188784493106690254656249n, MAX_TICK - 1],
    [MAX_SQRT_RATIO - 1n, MAX_TICK - 1],
    [(1n << 96n) - 1n, -1],
  ])('TickMath.spec ratio %i -> %i', (ratio, tick) => {
    expect(tickAtSqrtRatio(ratio)).toBe(tick);
  });

  test.each([MIN_SQRT_RATIO - 1n, MAX_SQRT_RATIO])('ratio %i -> RangeError', (ratio) => {
    expect(() => tickAtSqrtRatio(ratio)).toThrow(RangeError);
  });

  test("every tick's ratio -> the tick; one less -> the tick below", () => {
    forAll(
      [fc.integer({ min: MIN_TICK + 1, max: MAX_TICK - 1 })],
      { numRuns: 2000, seed: 1 },
      (tick) => {
        const ratio = sqrtRatioAtTick(tick);
        expect(tickAtSqrtRatio(ratio)).toBe(tick);
        expect(tickAtSqrtRatio(ratio - 1n)).toBe(tick - 1);
      },
    );
  });
});
