import { describe, expect, test } from 'vitest';
import type { Answer } from '../model/measured-trade.ts';
import {
  SAMPLE_SETTINGS,
  sampleQuoted,
  sampleTrade,
  settled,
} from '../model/sample-trades.testing.ts';
import { duelOf } from './duel.ts';
import { serviceMetrics } from './service-metrics.ts';
import { worstOf } from './summarize.ts';

const metricsOf = (answers: readonly Answer[], more = {}) =>
  serviceMetrics(
    'one',
    0,
    answers.map((answer, at) => sampleTrade(at, [answer], more)),
    SAMPLE_SETTINGS,
  );

const reverted = (reason: string, blocks = 0) =>
  sampleQuoted(0n, { outcomes: [{ blocks, kind: 'reverted', reason }] });

const GAS = { gasUsed: '100000', gasPriceWei: '1000000000' };
const MINED = { kind: 'mined', success: true, ...GAS } as const;

describe('serviceMetrics', () => {
  test('the received amount -> basis points of the quoted price, without reverts', () => {
    const { received } = metricsOf([
      sampleQuoted(999_000n),
      sampleQuoted(1_001_000n),
      reverted('no'),
      sampleQuoted(0n, { outcomes: [{ blocks: 0, kind: 'unknown', why: 'lost' }] }),
    ]);
    expect(received[0]).toMatchObject({ blocks: 0, unknown: 1 });
    expect(received[0]?.settled).toMatchObject({ value: 2 / 3, count: 3 });
    expect(received[0]?.meanBps?.value).toBeCloseTo(0, 9);
    expect(received[0]?.spreadBps).toMatchObject({ min: -10, max: 10 });
    expect(received[1]).toEqual({ blocks: 1, unknown: 0 });
  });

  test('more paid than quoted -> also below the quote', () => {
    const outcomes = [settled(0, 1_000_000n, 1_010_000n)];
    const { received, surplus } = metricsOf([sampleQuoted(0n, { outcomes })], {
      swapKind: 'exact-output',
    });
    expect(received[0]?.meanBps?.value).toBeCloseTo(-99.0099, 4);
    expect(surplus?.bps.max).toBe(0);
  });

  test('calldata for a tolerance -> unknown for higher tolerances', () => {
    const trades = [sampleTrade(0, [sampleQuoted(1_000_000n)])];
    const { survival } = serviceMetrics('one', 0, trades, { ...SAMPLE_SETTINGS, toleranceBps: 50 });
    expect(survival.map(({ toleranceBps }) => toleranceBps)).toEqual([10, 50]);
  });

  test('survival -> within the tolerance to the base unit, never with a revert', () => {
    const { survival } = metricsOf([
      sampleQuoted(999_000n),
      sampleQuoted(998_999n),
      sampleQuoted(990_000n),
      reverted('no'),
    ]);
    expect(survival.map(({ toleranceBps, share }) => [toleranceBps, share.value])).toEqual([
      [10, 0.25],
      [50, 0.5],
      [100, 0.75],
    ]);
  });

  test('gas -> its cost in dollars, and limits too low and too high', () => {
    const { gas, net } = metricsOf([
      sampleQuoted(1_000_000n, { gasLimit: '150000' }),
      sampleQuoted(1_001_000n, { gasLimit: '300000' }),
      sampleQuoted(1_000_000n, { mined: { ...MINED, success: false } }),
    ]);
    expect(gas?.limitOverUsed).toMatchObject({ min: 1.5, max: 3, count: 2 });
    expect([gas?.tooLow.value, gas?.tooHigh.value]).toEqual([1 / 3, 1 / 3]);
    // At 1 gwei and 2,000 USD per coin, 100,000 gas costs 0.20 USD. Only the second plan returned
    // more than its quote, by 1 USD.
    expect(net?.gasUsd.value).toBeCloseTo(0.2, 9);
    expect(net?.netUsd.value).toBeCloseTo(-0.2, 9);
    expect(net?.netBps.value).toBeCloseTo(-2, 6);
  });

  test('price impact -> compared with the smallest trade of its ladder', () => {
    const trades = [
      sampleTrade(0, [sampleQuoted(1n)], { ladder: 0, usd: 100 }),
      sampleTrade(1, [sampleQuoted(1n, { sold: '2000000', bought: '1980000' })], {
        ladder: 0,
        usd: 10_000,
      }),
      sampleTrade(2, [sampleQuoted(1n, { bought: '5' })], { ladder: 1, usd: 10_000 }),
    ];
    const { impact } = serviceMetrics('one', 0, trades, SAMPLE_SETTINGS);
    expect(impact.map(({ usd }) => usd)).toEqual([10_000]);
    expect(impact[0]?.medianBps.value).toBeCloseTo(101.0101, 4);
    expect(impact[0]?.spreadBps.count).toBe(1);
  });

  test('reverts -> by source, pair, size and reason, ignoring amounts in reasons', () => {
    const { reverts } = metricsOf([
      reverted('reverted with TooLittleBought(123456, 124000)'),
      reverted('reverted with TooLittleBought(5555, 6000)'),
      sampleQuoted(1_000_000n, { sources: ['Pools', 'Makers'] }),
    ]);
    expect(
      reverts.map(({ by, name, reverted: times, share }) => [by, name, times, share.count]),
    ).toEqual([
      ['source', 'Pools', 2, 3],
      ['pair', 'SELL → BUY', 2, 3],
      ['size', '$100', 2, 3],
      ['reason', 'reverted with TooLittleBought(N, N)', 2, 3],
    ]);
  });

  test('rejections -> by status and error, separate from missing replies', () => {
    const rejection = {
      kind: 'rejected',
      latencyMs: 1,
      status: 400,
      error: 'NO',
      message: 'm',
    } as const;
    const metrics = metricsOf([
      rejection,
      rejection,
      { kind: 'failed', why: 'timed out' },
      sampleQuoted(1n),
    ]);
    expect(metrics.quoted).toMatchObject({ value: 0.25, count: 4 });
    expect(metrics.rejections).toEqual([{ status: 400, error: 'NO', message: 'm', count: 2 }]);
    expect(metrics.failures).toEqual([{ why: 'timed out', count: 1 }]);
    expect(metrics.cells).toMatchObject([
      { pair: 'SELL → BUY', usd: 100, requested: 4, settled: 0.25 },
    ]);
  });

  test('the best plan -> the distance of the quote below it', () => {
    const best = { kind: 'best', sold: '1000000', bought: '1002000', pools: 3 } as const;
    expect(metricsOf([sampleQuoted(1n, { best })]).best?.meanBps.value).toBeCloseTo(20, 9);
  });
});

describe('duelOf', () => {
  const names = ['one', 'other'];
  const none = { kind: 'failed', why: 'no' } as const;
  const duel = (answers: readonly (readonly [Answer, Answer])[]) =>
    duelOf(
      [0, 1],
      names,
      answers.map((each, at) => sampleTrade(at, each)),
      1,
    );

  test('more received -> wins; settled beats reverted; equal amounts tie', () => {
    const { winRate, ties, trades, marginBps, medianMarginBps } = duel([
      [sampleQuoted(1_001_000n), sampleQuoted(1_000_000n)],
      [sampleQuoted(1_000_000n), sampleQuoted(1_000_000n)],
      [reverted('no'), sampleQuoted(1n)],
      [sampleQuoted(1n), none],
      [none, reverted('no')],
    ]);
    expect([trades, ties, winRate?.value]).toEqual([4, 1, 2 / 3]);
    expect(marginBps).toMatchObject({ count: 2 });
    expect(marginBps?.value).toBeCloseTo(5, 6);
    expect(medianMarginBps?.value).toBeCloseTo(5, 6);
  });

  test('ties only -> no share of wins', () => {
    const same = [sampleQuoted(1_000_000n), sampleQuoted(1_000_000n)] as const;
    expect(duel([same, same])).toMatchObject({ trades: 2, ties: 2 });
    expect(duel([same, same])).not.toHaveProperty('winRate');
  });

  test('more gas -> a lower net amount for the same trade', () => {
    const mined = { ...MINED, gasUsed: '600000' };
    const { winRate, marginBps } = duel([
      [sampleQuoted(1_000_000n, { mined }), sampleQuoted(1_000_000n)],
    ]);
    expect(winRate?.value).toBe(0);
    // At 1 gwei and 2,000 USD per coin, 500,000 more gas costs 1 USD, in a trade of 1,000 USD.
    expect(marginBps?.value).toBeCloseTo(-10, 6);
  });

  test('the gas of one service is unknown -> both are compared without gas', () => {
    const mined = { kind: 'rejected', reason: 'the node rejected it' } as const;
    const { ties, marginBps } = duel([
      [sampleQuoted(1_000_000n), sampleQuoted(1_000_000n, { mined })],
      [sampleQuoted(1_000_100n), sampleQuoted(1_000_000n, { mined })],
    ]);
    expect(ties).toBe(1);
    expect(marginBps?.value).toBeCloseTo(0.5, 6);
  });

  test('exact output -> less sold wins, by the difference; more bought than requested also counts', () => {
    const paying = (spent: bigint, received = 1_000_000n) =>
      sampleQuoted(received, { outcomes: [settled(0, received, spent)] });
    const trades = [
      [paying(999_000n), paying(1_000_000n)],
      [paying(1_000_000n, 1_000_500n), paying(1_000_000n)],
    ].map((answers, at) => sampleTrade(at, answers, { swapKind: 'exact-output' }));
    const { winRate, marginBps } = duelOf([0, 1], names, trades, 1);
    expect([winRate?.value, marginBps?.count]).toEqual([1, 2]);
    expect(marginBps?.value).toBeCloseTo((10 + 5) / 2, 6);
  });

  test('tokens without a price -> the realized prices, regardless of the given amount', () => {
    const usdPrice = { buy: 1, native: 2_000 };
    const [better, worse, less] = [
      sampleQuoted(1_001_000n, { usdPrice }),
      sampleQuoted(1_000_000n, { usdPrice }),
      sampleQuoted(1_000_000n, { usdPrice, outcomes: [settled(0, 1_000_000n, 990_000n)] }),
    ];
    expect(duel([[better, worse]])).toMatchObject({
      winRate: { value: 1 },
      marginBps: { value: 10 },
    });
    const trade = sampleTrade(0, [worse, less], { swapKind: 'exact-output' });
    expect(duelOf([0, 1], names, [trade], 1)).toMatchObject({
      winRate: { value: 0 },
      marginBps: { value: -100 },
    });
  });

  test('latency -> the geometric mean of the ratios of the same trades', () => {
    const slow = (latencyMs: number) => sampleQuoted(1n, { latencyMs });
    const { latencyRatio } = duel([
      [slow(10), slow(20)],
      [slow(80), slow(20)],
    ]);
    expect(latencyRatio?.value).toBeCloseTo(Math.SQRT2, 9);
  });
});

test('worstOf -> reverts first, then the largest shortfalls, and no trade without a shortfall', () => {
  const answers = [
    sampleQuoted(999_000n),
    reverted('no'),
    sampleQuoted(990_000n),
    sampleQuoted(1_000_001n),
  ];
  const trades = answers.map((answer, at) => sampleTrade(at, [answer]));
  expect(worstOf(trades, 0)).toEqual([1, 2, 0]);
});
