import type { ServiceFigures } from '../model/figures.ts';
import { SURVIVAL_BPS } from '../model/settings.ts';
import type { StudyReport } from '../model/study-report.ts';
import { showBps, showEstimate, showMs, showPercent, showSize, showUsd } from './show.ts';

/** A table of a study, the same in every format for people. */
export type StudyTable = {
  readonly title: string;
  /** What the table does not say of itself. */
  readonly note?: string;
  /** Few want it: folded away in Markdown. */
  readonly isFolded?: true;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

type TableOfService = Omit<StudyTable, 'rows'> & {
  /** The rows of one service, without its name; undefined where it has none. */
  readonly rows: (figures: ServiceFigures) => StudyTable['rows'] | undefined;
};

const RECEIVED: TableOfService = {
  title: 'Quoted against received',
  note: 'Basis points of the quoted price: below 0, less than quoted. In brackets where the figure is 95 times of 100.',
  columns: ['Blocks later', 'Settled', 'Mean bps', 'Median bps', 'p5 bps', 'p95 bps', 'Not known'],
  rows: ({ received }) =>
    received.map(({ blocks, settled, meanBps, medianBps, spreadBps, unknown }) => [
      String(blocks),
      showEstimate(settled, showPercent),
      showEstimate(meanBps, showBps),
      showEstimate(medianBps, showBps),
      ...(['p5', 'p95'] as const).map((at) => (spreadBps ? showBps(spreadBps[at]) : '–')),
      String(unknown),
    ]),
};

const SURVIVAL: TableOfService = {
  title: 'Survival',
  note: 'Share of quotes that still settle, so many blocks later. By limit: what came of calldata of the tolerance of the study is within the limit that this tolerance implies. By calldata: calldata of this tolerance was asked for, and settled.',
  columns: ['Blocks later', 'By', ...SURVIVAL_BPS.map((bps) => `At ${bps / 100} %`)],
  rows: ({ survival }) =>
    [...new Set(survival.map(({ blocks, by }) => `${blocks} ${by}`))].map((row) => [
      ...row.split(' '),
      ...SURVIVAL_BPS.map((bps) => {
        const found = survival.find(
          ({ blocks, by, toleranceBps }) => `${blocks} ${by}` === row && toleranceBps === bps,
        );
        return showEstimate(found?.share, showPercent);
      }),
    ]),
};

const OTHERS: readonly TableOfService[] = [
  {
    title: 'After gas',
    note: 'A trade at the block of the quote: what came above the quote, less gas.',
    columns: ['Gas', 'Against the quote', 'In bps'],
    rows: ({ net }) =>
      net && [
        [
          showEstimate(net.gasUsd, showUsd),
          showEstimate(net.netUsd, showUsd),
          showEstimate(net.netBps, showBps),
        ],
      ],
  },
  {
    title: 'Answers',
    columns: ['Quoted', 'Median ms', 'p5 ms', 'p95 ms'],
    rows: ({ quoted, latencyMs, medianLatencyMs }) => [
      [
        showEstimate(quoted, showPercent),
        showEstimate(medianLatencyMs, showMs),
        ...(['p5', 'p95'] as const).map((at) => (latencyMs ? showMs(latencyMs[at]) : '–')),
      ],
    ],
  },
  {
    title: 'Gas limits',
    note: 'Gas limit over gas used, as transactions. Too low: it ran out of gas.',
    columns: ['Median', 'p5', 'p95', 'Too low', 'Above twice'],
    rows: ({ gas }) =>
      gas && [
        [
          ...(['median', 'p5', 'p95'] as const).map((at) => gas.limitOverUsed[at].toFixed(2)),
          showEstimate(gas.tooLow, showPercent),
          showEstimate(gas.tooHigh, showPercent),
        ],
      ],
  },
  {
    title: 'Exact output',
    note: 'Received above what exact output asked for.',
    columns: ['Trades', 'Median bps', 'p95', 'Max', 'Below what was asked'],
    rows: ({ surplus }) =>
      surplus && [
        [
          String(surplus.bps.count),
          ...(['median', 'p95', 'max'] as const).map((at) => showBps(surplus.bps[at])),
          showEstimate(surplus.below, showPercent),
        ],
      ],
  },
  {
    title: 'Price impact',
    note: 'How much worse the quoted price is than that of the smallest trade of the same ladder.',
    columns: ['Size', 'Median bps', 'p5', 'p95'],
    rows: ({ impact }) =>
      impact.map(({ usd, medianBps, spreadBps }) => [
        showSize(usd),
        showEstimate(medianBps, showBps),
        showBps(spreadBps.p5),
        showBps(spreadBps.p95),
      ]),
  },
  {
    title: 'Against the best plan',
    note: 'How far quotes are below the best plan that the reference’s optimiser finds over the same pools: an observation, no verdict.',
    columns: ['Trades', 'Mean bps below', 'Median', 'p95', 'Not known'],
    rows: ({ best }) =>
      best && [
        [
          String(best.spreadBps.count),
          showEstimate(best.meanBps, showBps),
          showBps(best.spreadBps.median),
          showBps(best.spreadBps.p95),
          String(best.unknown),
        ],
      ],
  },
  {
    title: 'Reverts',
    note: 'At the block of the quote; a share of the plans with that source, pair or size.',
    columns: ['By', 'Which', 'Reverted', 'Share'],
    rows: ({ reverts }) =>
      reverts.map(({ by, name, reverted, share }) => [
        by,
        name,
        String(reverted),
        showEstimate(share, showPercent),
      ]),
  },
  {
    title: 'Refusals',
    columns: ['Status', 'Error', 'Times', 'For instance'],
    rows: ({ refusals, failures }) => [
      ...refusals.map(({ status, error, count, message }) => [
        String(status),
        error,
        String(count),
        message,
      ]),
      ...failures.map(({ why, count }) => ['–', '', String(count), why]),
    ],
  },
];

/** Returns every table that has a row: what is received first, then who is better, then why. */
export function tablesOf({ figures, duels, errors }: StudyReport): readonly StudyTable[] {
  const ofServices = ({ rows, columns, ...rest }: TableOfService): StudyTable => ({
    ...rest,
    columns: ['Service', ...columns],
    rows: figures.flatMap((each) => rows(each)?.map((row) => [each.name, ...row]) ?? []),
  });
  const between: StudyTable = {
    title: 'Between services',
    note: 'The same trade, asked for at one moment and settled on one block, after gas. Who settles wins over who does not.',
    columns: ['Which', 'Trades', 'Wins', 'Ties', 'Ahead by bps', 'Median', 'Latency ratio'],
    rows: duels.map((duel) => [
      `${duel.one} over ${duel.other}`,
      String(duel.trades),
      showEstimate(duel.winRate, showPercent),
      String(duel.ties),
      showEstimate(duel.marginBps, showBps),
      showEstimate(duel.medianMarginBps, showBps),
      showEstimate(duel.latencyRatio, (ratio) => ratio.toFixed(2)),
    ]),
  };
  const others = OTHERS.map(ofServices);
  return [
    ofServices(RECEIVED),
    ofServices(SURVIVAL),
    between,
    ...others,
    ...errorTables(errors),
  ].filter(({ rows }) => rows.length > 0);
}

function errorTables(errors: StudyReport['errors']): readonly StudyTable[] {
  return [
    {
      title: 'What errors tell',
      note: 'Whether a client can tell one cause from another, and by what: of each, every answer differs from every answer of the other.',
      columns: ['Service', 'Between', 'And', 'Told by'],
      rows: errors.flatMap(({ name, told }) =>
        told.map(({ one, other, by }) => [name, one, other, by]),
      ),
    },
    {
      title: 'Errors asked for',
      isFolded: true,
      columns: ['Service', 'Chain', 'Cause', 'Situation', 'Status', 'Error', 'Message'],
      rows: errors.flatMap(({ name, probes }) =>
        probes.map(({ chainId, cause, situation, status, error, message }) => [
          name,
          String(chainId),
          cause,
          situation,
          String(status ?? '–'),
          error,
          message,
        ]),
      ),
    },
  ];
}
