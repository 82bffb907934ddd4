import { showMs, showShare } from '../model/units.ts';
import type { LoadComparison } from './comparison.ts';

type ChangeResult = LoadComparison['changes'][number];

/** Returns a change as people read it: base, head, change and interval. */
export function showChange({ metric, base, head, change, interval }: ChangeResult): {
  readonly base: string;
  readonly head: string;
  readonly change: string;
  readonly interval: string;
} {
  const show = metric === 'errors' ? showShare : (value: number) => `${showMs(value)} ms`;
  const ends = interval.map((each) => showShift({ metric, change: each }));
  return {
    base: show(base),
    head: show(head),
    change: showShift({ metric, change }),
    interval: `[${ends.join(', ')}]`,
  };
}

/**
 * Returns by how much a figure moved, a sign before it; shares of errors move by points.
 *
 * @example
 * showShift({ metric: 'p99', change: 0.2 }) // '+20.0 %'
 */
export function showShift({ metric, change }: Pick<ChangeResult, 'metric' | 'change'>): string {
  if (change === null) return 'any';
  const unit = metric === 'errors' ? 'pts' : '%';
  return `${change < 0 ? '-' : '+'}${(Math.abs(change) * 100).toFixed(1)} ${unit}`;
}

/** Returns how many changes there are of each kind, in one line. */
export function countChanges({ changes }: LoadComparison): string {
  const count = (verdict: ChangeResult['verdict']): number =>
    changes.filter((each) => each.verdict === verdict).length;
  return `${count('regression')} regressions, ${count('improvement')} improvements, ${count('noise')} within noise, ${count('unclear')} unclear`;
}

/** Returns which run a side was, in one line. */
export function showSide(side: LoadComparison['base']): string {
  if (side.run === undefined) return `${side.target}, never loaded`;
  const { profile, seed, requests, verdict, startedAt } = side.run;
  return `${side.target}, ${profile}, seed ${seed}, ${requests} requests, ${verdict}, ${startedAt}`;
}
