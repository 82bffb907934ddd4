import { formatMs, formatShare } from '../../conformance/output/units.ts';
import type { ServiceMetrics } from '../model/metrics.ts';
import { SURVIVAL_BPS } from '../model/settings.ts';
import type { StudyReport } from '../model/study-report.ts';
import { formatBps, formatEstimate, formatSize, formatUsd } from './format.ts';

type StudyTable = {
  readonly title: string;
  readonly note?: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

type TableOfService = Omit<StudyTable, 'rows'> & {
  readonly rows: (metrics: ServiceMetrics) => StudyTable['rows'] | undefined;
};

const RECEIVED: TableOfService = {
  title: 'Quoted against received',
  note: 'Difference from the quoted price in basis points. Below 0: less than quoted. In brackets: the 95% interval.',
  columns: ['Blocks later', 'Settled', 'Median bps', 'p5 bps', 'p95 bps', 'Unknown'],
  rows: ({ received }) =>
    received.map(({ blocks, settled, medianBps, spreadBps, unknown }) => [
      String(blocks),
      formatEstimate(settled, formatShare),
      formatEstimate(medianBps, formatBps),
      ...(['p5', 'p95'] as const).map((at) => (spreadBps ? formatBps(spreadBps[at]) : '–')),
      String(unknown),
    ]),
};

const SURVIVAL: TableOfService = {
  title: 'Survival',
  note: 'Share of quotes that still settle some blocks later, within the limit of each slippage tolerance.',
  columns: ['Blocks later', ...SURVIVAL_BPS.map((bps) => `At ${bps / 100}%`)],
  rows: ({ survival }) =>
    [...new Set(survival.map(({ blocks }) => blocks))].map((blocks) => [
      String(blocks),
      ...SURVIVAL_BPS.map((bps) => {
        const found = survival.find((each) => each.blocks === blocks && each.toleranceBps === bps);
        return formatEstimate(found?.share, formatShare);
      }),
    ]),
};

const OTHERS: readonly TableOfService[] = [
  {
    title: 'After gas',
    note: 'Medians over trades, at the block of the quote: the amount above the quote, less gas.',
    columns: ['Gas', 'Against the quote', 'In bps'],
    rows: ({ net }) =>
      net && [
        [
          formatEstimate(net.gasUsd, formatUsd),
          formatEstimate(net.netUsd, formatUsd),
          formatEstimate(net.netBps, formatBps),
        ],
      ],
  },
  {
    title: 'Replies',
    columns: ['Quoted', 'Median ms', 'p5 ms', 'p95 ms'],
    rows: ({ quoted, latencyMs, medianLatencyMs }) => [
      [
        formatEstimate(quoted, formatShare),
        formatEstimate(medianLatencyMs, formatMs),
        ...(['p5', 'p95'] as const).map((at) => (latencyMs ? formatMs(latencyMs[at]) : '–')),
      ],
    ],
  },
  {
    title: 'Gas limits',
    note: 'Gas limit divided by gas used, in transactions. Too low: the transaction ran out of gas.',
    columns: ['Median', 'p5', 'p95', 'Too low', 'Above twice'],
    rows: ({ gas }) =>
      gas && [
        [
          ...(['median', 'p5', 'p95'] as const).map((at) => gas.limitOverUsed[at].toFixed(2)),
          formatEstimate(gas.tooLow, formatShare),
          formatEstimate(gas.tooHigh, formatShare),
        ],
      ],
  },
  {
    title: 'Exact output',
    note: 'Amount received above the requested exact output.',
    columns: ['Trades', 'Median bps', 'p95', 'Max', 'Below the request'],
    rows: ({ surplus }) =>
      surplus && [
        [
          String(surplus.bps.count),
          ...(['median', 'p95', 'max'] as const).map((at) => formatBps(surplus.bps[at])),
          formatEstimate(surplus.below, formatShare),
        ],
      ],
  },
  {
    title: 'Price impact',
    note: 'Deterioration of the quoted price compared with the smallest trade of the same ladder.',
    columns: ['Size', 'Median bps', 'p5', 'p95'],
    rows: ({ impact }) =>
      impact.map(({ usd, medianBps, spreadBps }) => [
        formatSize(usd),
        formatEstimate(medianBps, formatBps),
        formatBps(spreadBps.p5),
        formatBps(spreadBps.p95),
      ]),
  },
  {
    title: 'Against the best plan',
    note: 'Distance of quotes below the best plan that the reference’s optimizer finds over the same pools: an observation, not a verdict.',
    columns: ['Trades', 'Median bps below', 'p5', 'p95', 'Unknown'],
    rows: ({ best }) =>
      best && [
        [
          String(best.spreadBps.count),
          ...(['median', 'p5', 'p95'] as const).map((at) => formatBps(best.spreadBps[at])),
          String(best.unknown),
        ],
      ],
  },
  {
    title: 'Reverts',
    note: 'At the block of the quote. For a source, pair or size: the share of its plans. For a reason: the share of all plans.',
    columns: ['By', 'Which', 'Reverted', 'Share'],
    rows: ({ reverts }) =>
      reverts.map(({ by, name, reverted, share }) => [
        by,
        name,
        String(reverted),
        formatEstimate(share, formatShare),
      ]),
  },
  {
    title: 'Rejections',
    columns: ['Status', 'Error', 'Times', 'Example'],
    rows: ({ rejections, failures }) => [
      ...rejections.map(({ status, error, count, message }) => [
        String(status),
        error,
        String(count),
        message,
      ]),
      ...failures.map(({ why, count }) => ['–', '', String(count), why]),
    ],
  },
];

/** Returns every table that has a row: received amounts, then comparisons, then causes. */
export function tablesOf({ metrics, duels }: StudyReport): readonly StudyTable[] {
  const ofServices = ({ rows, columns, ...rest }: TableOfService): StudyTable => ({
    ...rest,
    columns: ['Service', ...columns],
    rows: metrics.flatMap((each) => rows(each)?.map((row) => [each.name, ...row]) ?? []),
  });
  const between: StudyTable = {
    title: 'Between services',
    note: 'The same trade, requested at the same moment and settled on the same block, after gas. A service that settles wins against one that does not. Wins are a share of the trades that were not tied.',
    columns: ['Services', 'Trades', 'Ties', 'Wins', 'Median bps ahead', 'Latency ratio'],
    rows: duels.map((duel) => [
      `${duel.one} over ${duel.other}`,
      String(duel.trades),
      String(duel.ties),
      formatEstimate(duel.winRate, formatShare),
      formatEstimate(duel.medianMarginBps, formatBps),
      formatEstimate(duel.latencyRatio, (ratio) => ratio.toFixed(2)),
    ]),
  };
  const others = OTHERS.map(ofServices);
  return [ofServices(RECEIVED), ofServices(SURVIVAL), between, ...others].filter(
    ({ rows }) => rows.length > 0,
  );
}
