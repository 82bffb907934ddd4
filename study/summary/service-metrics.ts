import { given } from '../../conformance/output/option-values.ts';
import type { MeasuredTrade } from '../model/measured-trade.ts';
import type { ServiceMetrics } from '../model/metrics.ts';
import { type StudySettings, SURVIVAL_BPS } from '../model/settings.ts';
import { bootstrapMean, bootstrapMedian, shareOf, spreadOf } from '../statistics/estimate.ts';
import { cellsOf } from './cells.ts';
import { bestMetrics, impactMetrics } from './prices.ts';
import { revertMetrics } from './reverts.ts';
import { byLadder, measure, type Subject } from './subject.ts';
import {
  aheadBps,
  gasUsd,
  isWithin,
  outcomeAt,
  type Quote,
  quotesOf,
  receivedBps,
  settledAt,
  worthUsd,
} from './worth.ts';

/** Returns the metrics of one service. */
export function serviceMetrics(
  name: string,
  service: number,
  trades: readonly MeasuredTrade[],
  settings: StudySettings,
): ServiceMetrics {
  const quotes = quotesOf(trades, service);
  const subject = { quotes, trades, service, settings };
  const answers = trades.flatMap(({ answers: all }) => all[service] ?? []);
  const latencies = byLadder(trades, ({ answers: all }) => {
    const answer = all[service];
    return answer !== undefined && 'latencyMs' in answer ? answer.latencyMs : undefined;
  });
  return given({
    name,
    quoted: shareOf(quotes.length, answers.length),
    latencyMs: spreadOf(latencies.flat()),
    medianLatencyMs: bootstrapMedian(latencies, settings.seed),
    received: settings.blocks.map((blocks) => received(subject, blocks)),
    survival: settings.blocks.flatMap((blocks) => survival(subject, blocks)),
    net: net(subject),
    gas: gas(subject),
    surplus: surplus(subject),
    impact: impactMetrics(subject),
    reverts: revertMetrics(subject),
    ...refused(answers),
    best: bestMetrics(subject),
    cells: cellsOf(subject),
  });
}

function received(
  { quotes, settings }: Subject,
  blocks: number,
): ServiceMetrics['received'][number] {
  const known = quotes.filter((quote) => isKnown(quote, blocks));
  const values = measure(quotes, (quote) => {
    const settled = settledAt(quote, blocks);
    return settled && receivedBps(quote, settled);
  });
  return given({
    blocks,
    settled: shareOf(known.filter((quote) => settledAt(quote, blocks)).length, known.length),
    meanBps: bootstrapMean(values, settings.seed),
    medianBps: bootstrapMedian(values, settings.seed),
    spreadBps: spreadOf(values.flat()),
    unknown: quotes.filter((quote) => outcomeAt(quote, blocks)?.kind === 'unknown').length,
  });
}

function isKnown(quote: Quote, blocks: number): boolean {
  const kind = outcomeAt(quote, blocks)?.kind;
  return kind === 'settled' || kind === 'reverted';
}

/** Calldata of a lower tolerance reverts before the limits of higher ones are reached. */
function survival(
  { quotes, settings }: Subject,
  blocks: number,
): readonly ServiceMetrics['survival'][number][] {
  const known = quotes.filter((quote) => isKnown(quote, blocks));
  return SURVIVAL_BPS.flatMap((toleranceBps) => {
    const alive = known.filter((quote) => {
      const settled = settledAt(quote, blocks);
      return settled !== undefined && isWithin(quote, settled, toleranceBps);
    });
    const share =
      toleranceBps <= settings.toleranceBps ? shareOf(alive.length, known.length) : undefined;
    const asked = quotes.flatMap(({ answer: { guarded = [] } }) => {
      const { outcomes } = guarded.find((each) => each.toleranceBps === toleranceBps) ?? {};
      const kind = outcomes?.find((outcome) => outcome.blocks === blocks)?.kind;
      return kind === undefined || kind === 'unknown' ? [] : [kind];
    });
    const settled = shareOf(asked.filter((kind) => kind === 'settled').length, asked.length);
    return [
      ...(settled === undefined
        ? []
        : [{ blocks, toleranceBps, by: 'calldata', share: settled } as const]),
      ...(share === undefined ? [] : [{ blocks, toleranceBps, by: 'limit', share } as const]),
    ];
  });
}

function net({ quotes, settings: { seed } }: Subject): ServiceMetrics['net'] {
  const cost = (quote: Quote) => {
    const settled = settledAt(quote, 0);
    const [gas, bps] = [gasUsd(quote), settled && receivedBps(quote, settled)];
    if (gas === undefined || bps === undefined) return undefined;
    const worth = worthUsd(quote.trade);
    const netUsd = (worth * bps) / 10_000 - gas;
    return { gas, netUsd, netBps: (netUsd / worth) * 10_000 };
  };
  const of = (figure: 'gas' | 'netUsd' | 'netBps') =>
    bootstrapMedian(
      measure(quotes, (quote) => cost(quote)?.[figure]),
      seed,
    );
  const [gas, netUsd, netBps] = [of('gas'), of('netUsd'), of('netBps')];
  return gas && netUsd && netBps && { gasUsd: gas, netUsd, netBps };
}

/** A higher multiple of the gas used is more than a client should have to reserve. */
const TOO_HIGH = 2;

function gas({ quotes }: Subject): ServiceMetrics['gas'] {
  const mined = quotes.flatMap(({ answer }) =>
    answer.mined?.kind === 'mined' ? [{ ...answer.mined, limit: Number(answer.gasLimit) }] : [],
  );
  const ratios = mined.flatMap(({ success, gasUsed, limit }) =>
    success ? [limit / Number(gasUsed)] : [],
  );
  const limitOverUsed = spreadOf(ratios);
  const tooLow = shareOf(mined.length - ratios.length, mined.length);
  const tooHigh = shareOf(ratios.filter((ratio) => ratio > TOO_HIGH).length, mined.length);
  return limitOverUsed && tooLow && tooHigh && { limitOverUsed, tooLow, tooHigh };
}

function surplus({ quotes }: Subject): ServiceMetrics['surplus'] {
  const values = quotes.flatMap((quote) => {
    const settled = settledAt(quote, 0);
    if (quote.trade.swapKind === 'exact-input' || settled === undefined) return [];
    return aheadBps([BigInt(settled.received), 1n], [BigInt(quote.trade.amount), 1n]) ?? [];
  });
  const bps = spreadOf(values);
  const below = shareOf(values.filter((value) => value < 0).length, values.length);
  return bps && below && { bps, below };
}

function refused(
  answers: readonly MeasuredTrade['answers'][number][],
): Pick<ServiceMetrics, 'refusals' | 'failures'> {
  const refusals = new Map<string, ServiceMetrics['refusals'][number]>();
  const failures = new Map<string, number>();
  for (const answer of answers) {
    if (answer.kind === 'failed') failures.set(answer.why, (failures.get(answer.why) ?? 0) + 1);
    if (answer.kind !== 'refused') continue;
    const { status, error, message } = answer;
    const key = `${status} ${error}`;
    const count = (refusals.get(key)?.count ?? 0) + 1;
    refusals.set(key, { status, error, message: refusals.get(key)?.message ?? message, count });
  }
  return {
    refusals: [...refusals.values()].sort((a, b) => b.count - a.count),
    failures: [...failures].map(([why, count]) => ({ why, count })),
  };
}
