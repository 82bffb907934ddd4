import { readSwapBody } from '../../conformance/checks/plan.ts';
import { goldenSwap } from '../../conformance/model/golden-replies.testing.ts';
import { sketchPlan } from '../../conformance/model/plan-sketch.ts';
import type { Answer, MeasuredTrade } from '../model/measured-trade.ts';
import {
  SAMPLE_SETTINGS,
  sampleQuoted,
  sampleTrade,
  settled,
} from '../model/sample-trades.testing.ts';
import type { StudySettings } from '../model/settings.ts';
import type { StudyReport } from '../model/study-report.ts';
import { keepWorstPlans, summarize } from '../summary/summarize.ts';

const SETTINGS: StudySettings = {
  ...SAMPLE_SETTINGS,
  trades: 48,
  sizes: [10, 1_000, 100_000],
  blocks: [0, 1, 5],
};

/** A study of two services. The second returns less, reverts and rejects requests. */
export function sampleStudy(
  names: readonly string[] = ['one.example', 'two.example'],
): StudyReport {
  const measured = Array.from({ length: SETTINGS.trades }, (_, id) => tradeOf(id));
  const summary = summarize(measured, names, SETTINGS);
  return {
    kind: 'study',
    version: '0.0.0',
    verdict: 'complete',
    reason: `${measured.length} trades were measured`,
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 60_000,
    settings: SETTINGS,
    services: names.map((name) => ({ name, url: `https://${name}`, requests: 400 })),
    notes: [],
    ...summary,
    trades: keepWorstPlans(measured, summary.worst),
  };
}

function tradeOf(id: number): MeasuredTrade {
  const [ladder, size] = [Math.floor(id / 3), id % 3];
  const buy = ['BUY', 'OTHER', 'THIRD'][ladder % 3] ?? '';
  const loss = (step: number) => 1_000_000n - BigInt(((id * 7) % 13) * 60 * (size + 1) * 2 * step);
  const outcomes = (offset: bigint) => [
    settled(0, loss(0.5) - offset),
    settled(1, loss(1) - offset),
    settled(5, loss(3) - offset),
  ];
  const best = { kind: 'best', sold: '1000000', bought: '1000800', pools: 4 } as const;
  return sampleTrade(
    id,
    [
      sampleQuoted(0n, { outcomes: outcomes(0n), best, latencyMs: 20 + (id % 7) }),
      otherAnswer(id, outcomes(900n)),
    ],
    {
      ladder,
      rank: 1 + (ladder % 3),
      usd: SETTINGS.sizes[size] ?? 0,
      swapKind: ladder % 2 === 0 ? 'exact-input' : 'exact-output',
      buy: { address: `0x${'b'.repeat(40)}`, symbol: buy, decimals: 3, native: false },
    },
  );
}

function otherAnswer(id: number, outcomes: ReturnType<typeof settled>[]): Answer {
  if (id % 11 === 3) {
    const words = { error: 'NO_ROUTE', message: 'no pool holds enough' };
    return { kind: 'rejected', latencyMs: 9, status: 400, ...words };
  }
  const plan = sketchPlan(readSwapBody(goldenSwap()));
  const withPlan = plan === undefined ? {} : { plan };
  if (id % 9 !== 4) return sampleQuoted(0n, { outcomes, latencyMs: 50 + (id % 5), ...withPlan });
  const reason = "reverted with 'TooLittleReceived'";
  const reverted = outcomes.map(({ blocks }) => ({ blocks, kind: 'reverted' as const, reason }));
  return sampleQuoted(0n, { outcomes: reverted, ...withPlan });
}
