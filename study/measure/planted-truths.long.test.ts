import { setMaxListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStudyOptimizer } from '../../scripts/cli/study-optimizer.ts';
import type { StudySettings } from '../model/settings.ts';
import { type Summary, summarize } from '../summary/summarize.ts';
import { CHAIN_ID, type MovingMarket, startMovingMarket } from './moving-market.testing.ts';
import {
  overstatedBy,
  planWithoutGas,
  revertingOnceIn,
  singlePaths,
} from './planted-services.testing.ts';
import { type Measured, runStudy } from './run-study.ts';
import { openStudied } from './studied-service.ts';

const isLong = process.env['SWAPCHECK_LONG'] === '1';
const TIME_LIMIT_MS = isLong ? 1_800_000 : undefined;

const SETTINGS: StudySettings = {
  seed: 4,
  trades: isLong ? 100 : 9,
  sizes: isLong ? [10, 100, 1_000, 10_000, 100_000] : [100, 10_000, 50_000],
  blocks: isLong ? [0, 1, 3, 5] : [0, 3],
  toleranceBps: 10_000,
  chains: [CHAIN_ID],
  gasPriceWei: '0',
};
const NAMES = ['reference', 'single paths', 'overstates', 'late', 'reverts'] as const;
const SHAVED_BPS = 10n;
const BLOCKS_LATE = 3;
const ONCE_IN = 20;

let market: MovingMarket;
let measured: Measured;
let summary: Summary;
const reverts = revertingOnceIn(ONCE_IN, 1);
const { signal } = new AbortController();
setMaxListeners(0, signal);

beforeAll(async () => {
  market = await startMovingMarket(11);
  for (let block = 0; block < BLOCKS_LATE; block += 1) await market.move();
  const quirks = [
    {},
    { planner: singlePaths },
    overstatedBy(SHAVED_BPS),
    { blocksLate: BLOCKS_LATE },
    reverts,
  ];
  const running = await Promise.all(
    quirks.map((quirk) => market.serve({ planner: planWithoutGas, ...quirk })),
  );
  const services = running.map(({ url }, at) => ({
    name: NAMES[at] ?? '',
    url: new URL(url),
    apiKey: 'demo',
  }));
  const [first] = services;
  if (first === undefined) throw new Error('no service runs');
  // Discovery is the same for all services, so it is done once.
  const known = await openStudied(first, SETTINGS.chains, signal);
  await known.close();
  measured = await runStudy({
    services: services.map((each) => ({ ...each, facts: known.facts })),
    forks: [{ chainId: CHAIN_ID, rpcUrl: market.rpcUrl }],
    settings: SETTINGS,
    signal,
    optimizer: createStudyOptimizer(),
    pause: () => market.move(),
  });
  summary = summarize(measured.trades, NAMES, SETTINGS);
}, TIME_LIMIT_MS);

afterAll(() => market.stop());

const metricsOf = (name: (typeof NAMES)[number]) =>
  summary.metrics[NAMES.indexOf(name)] as Summary['metrics'][number];
const receivedOf = (name: (typeof NAMES)[number], blocks: number) => {
  const received = metricsOf(name).received.find((each) => each.blocks === blocks);
  if (received === undefined) throw new Error(`nothing was measured ${blocks} blocks later`);
  return received;
};
const survivalOf = (name: (typeof NAMES)[number], blocks: number) => {
  const found = metricsOf(name).survival.find(
    (each) => each.blocks === blocks && each.toleranceBps === 10,
  );
  return found?.share ?? { value: Number.NaN, count: 0 };
};
const duelOf = (other: (typeof NAMES)[number]) => {
  const duel = summary.duels.find((each) => each.one === 'reference' && each.other === other);
  if (duel === undefined) throw new Error(`no duel with ${other}`);
  return duel;
};

describe('a moving market, and services with known faults', () => {
  test('all trades -> measured at every block', () => {
    expect(measured).toMatchObject({ missing: 0, notes: [] });
    expect(measured.trades).toHaveLength(SETTINGS.trades);
    for (const { quoted, received } of summary.metrics) {
      expect(quoted?.value).toBeGreaterThan(0.9);
      expect(received.map(({ unknown }) => unknown)).toEqual(SETTINGS.blocks.map(() => 0));
    }
  });

  test('the reference -> pays exactly the quoted amount at the block of the quote', () => {
    const { settled, spreadBps } = receivedOf('reference', 0);
    expect(settled?.value).toBe(1);
    // A pair takes whole base units and pays out all that they buy, which may be more than
    // requested.
    expect([spreadBps?.min, spreadBps?.median]).toEqual([0, 0]);
    expect(metricsOf('reference').gas?.tooLow.value).toBe(0);
    expect(metricsOf('reference').surplus?.below.value).toBe(0);
  });

  test('a moving market -> quotes settle differently three blocks later', () => {
    const { spreadBps } = receivedOf('reference', 3);
    expect((spreadBps?.max ?? 0) - (spreadBps?.min ?? 0)).toBeGreaterThan(1);
  });

  test('10 bps overstated -> 10 bps less received', () => {
    const { settled, medianBps, meanBps } = receivedOf('overstates', 0);
    expect(settled?.value).toBe(1);
    expect(medianBps?.value).toBeCloseTo(-10, 1);
    // Allows a hundredth of a basis point for rounding, since tokens without decimals are received
    // in whole units.
    expect(meanBps?.low).toBeLessThanOrEqual(0.01 - 10);
    expect(meanBps?.high).toBeGreaterThanOrEqual(-10);
    // Both services pay the same amount.
    expect(duelOf('overstates').ties).toBe(settled?.count);
  });

  test('quotes three blocks old -> survive like quotes of the reference three blocks later', () => {
    const [late, aged] = [survivalOf('late', 0), survivalOf('reference', BLOCKS_LATE)];
    expect(late.value).toBeLessThan(1);
    expect(survivalOf('reference', 0).value).toBe(1);
    // Both shares come from a few, different blocks, so it is enough that the intervals overlap.
    expect(aged.low).toBeLessThanOrEqual(late.high ?? 0);
    expect(late.low).toBeLessThanOrEqual(aged.high ?? 0);
  });

  test('one revert in twenty -> the planted number, and one in twenty inside the interval', () => {
    const { settled } = receivedOf('reverts', 0);
    expect(reverts.planted()).toBeGreaterThan(0);
    expect(settled?.value).toBeCloseTo(1 - reverts.planted() / (settled?.count ?? 0), 9);
    expect(1 - (settled?.high ?? 0)).toBeLessThan(1 / ONCE_IN);
    expect(1 - (settled?.low ?? 0)).toBeGreaterThan(1 / ONCE_IN);
    const reasons = metricsOf('reverts').reverts.filter(({ by }) => by === 'reason');
    expect(reasons.map(({ reverted }) => reverted)).toEqual([reverts.planted()]);
    expect(duelOf('reverts').ties).toBe((settled?.count ?? 0) - reverts.planted());
  });

  test('single paths -> the reference never loses, and leads', () => {
    const single = NAMES.indexOf('single paths');
    const margins = measured.trades.flatMap(({ swapKind, answers }) => {
      const [reference, other] = [answers[0], answers[single]];
      if (reference?.kind !== 'quoted' || other?.kind !== 'quoted') return [];
      const [better, worse] =
        swapKind === 'exact-input'
          ? [reference.bought, other.bought]
          : [other.sold, reference.sold];
      return [BigInt(better) - BigInt(worse)];
    });
    expect(margins.filter((margin) => margin < 0n)).toEqual([]);
    const { ties, marginBps } = duelOf('single paths');
    expect(margins.filter((margin) => margin === 0n)).toHaveLength(ties);
    expect(marginBps).toMatchObject({ count: margins.length });
    expect(marginBps?.value).toBeGreaterThan(0);
  });

  test('the best plan over the pools of the plans -> equal to the reference, above single paths', () => {
    const [reference, single] = [metricsOf('reference').best, metricsOf('single paths').best];
    const notKnown = measured.trades.filter(({ answers: [answer] }) => {
      return answer?.kind === 'quoted' && answer.best?.kind !== 'best';
    });
    // The best plan is unknown only for trades with market makers, whose orders are not pools.
    expect(notKnown.filter(({ useRfq }) => !useRfq)).toEqual([]);
    expect(reference?.unknown).toBe(notKnown.length);
    expect(Math.abs(reference?.meanBps.value ?? 1)).toBeLessThan(0.5);
    expect(single?.meanBps.value).toBeGreaterThan(reference?.meanBps.value ?? 0);
    expect(metricsOf('overstates').best?.meanBps.value).toBeLessThan(0);
  });
});
