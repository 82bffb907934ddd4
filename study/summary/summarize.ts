import type { MeasuredTrade } from '../model/measured-trade.ts';
import type { Duel, ServiceMetrics } from '../model/metrics.ts';
import type { StudySettings } from '../model/settings.ts';
import { duelOf } from './duel.ts';
import { serviceMetrics } from './service-metrics.ts';
import { worstOf } from './worst.ts';

/** Summary of measured trades. */
export type Summary = {
  readonly figures: ServiceMetrics[];
  readonly duels: Duel[];
  /** By service: ids of the worst trades. */
  readonly worst: number[][];
};

/** Returns the metrics of every service and of every two of them. */
export function summarize(
  trades: readonly MeasuredTrade[],
  names: readonly string[],
  settings: StudySettings,
): Summary {
  return {
    figures: names.map((name, at) => serviceMetrics(name, at, trades, settings)),
    duels: names.flatMap((_, one) =>
      names
        .slice(one + 1)
        .map((_, at) => duelOf([one, one + 1 + at], names, trades, settings.seed)),
    ),
    worst: names.map((_, at) => worstOf(trades, at)),
  };
}
