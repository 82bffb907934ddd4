import { noteOnDelayedWrites } from '../client/delayed-writes.ts';
import { counted } from '../contract/counted.ts';
import { amountOf } from '../model/format-amount.ts';
import type { Report, RuleResult } from '../model/report.ts';

/**
 * Returns notes on the coverage of a run: the share of the usual requests, the share of the listed
 * pairs, and the number of settled plans.
 */
export function coverageNotes(report: Report): string[] {
  const { breadth, pairs, rules } = report;
  const percent = (share: number) => `${Math.floor(share * 100)}%`;
  return [
    ...(breadth === undefined
      ? []
      : [
          `Scaled down to end in time, because ${breadth.why ?? 'the service is slow'}: some probes sent ${percent(breadth.least)} of their usual requests. Pass a larger --max-time to send all of them, or --profile quick for a short run`,
        ]),
    ...(pairs === undefined
      ? []
      : [
          `Pairs with a plan or a rejection: ${pairs.requested} of ${counted(pairs.listed, 'ordered pair')} of listed tokens (${percent(pairs.requested / pairs.listed)})`,
        ]),
    ...settledNote(rules),
    ...[noteOnDelayedWrites(report.target, report.timings) ?? []].flat(),
  ];
}

function settledNote(rules: readonly RuleResult[]): string[] {
  const { checks = 0, failures = [] } = rules.find(({ id }) => id === 'execution/settles') ?? {};
  const reverted = failures.reduce((sum, { count }) => sum + count, 0);
  return checks === 0 ? [] : [`Plans settled on forks: ${checks - reverted} of ${checks}`];
}

/**
 * Returns the reply times of each operation; undefined if none were measured.
 *
 * @example '/swap p50 12 ms, p99 80 ms; /tokens p50 2.1 ms, p99 4 ms'
 */
export function latencyNote({ timings }: Report): string | undefined {
  if (timings.length === 0) return undefined;
  return timings
    .map(
      ({ endpoint, p50Ms, p99Ms }) =>
        `/${endpoint} p50 ${formatMilliseconds(p50Ms)}, p99 ${formatMilliseconds(p99Ms)}`,
    )
    .join('; ');
}

/** @example formatMilliseconds(1_250) // '1.3 s' */
export function formatMilliseconds(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 10 ? Math.round(ms) : Math.round(ms * 10) / 10} ms`;
}

/**
 * Describes the largest dust in a run.
 *
 * @example
 * const usdc = { token: '0xab', symbol: 'USDC', decimals: 6 };
 * describeDust({ ...usdc, baseUnits: '-1500000', partsPerMillion: 2, exchange: 4 })
 * // '1.5 USDC overspent in request 4: 2 parts per million (1500000 base units of 0xab)'
 */
export function describeDust({
  baseUnits,
  partsPerMillion,
  exchange,
  token,
  ...dust
}: NonNullable<Report['largestDust']>): string {
  const isOverspent = baseUnits.startsWith('-');
  const units = isOverspent ? baseUnits.slice(1) : baseUnits;
  const exact = `${counted(units, 'base unit')} of ${token}`;
  const [amount, note] =
    dust.decimals === undefined ? [exact, ''] : [amountOf(units, dust), ` (${exact})`];
  const share = Number(partsPerMillion.toPrecision(3));
  const fate = isOverspent ? 'overspent' : 'left over';
  return `${amount} ${fate} in request ${exchange}: ${counted(share, 'part', 'parts')} per million${note}`;
}
