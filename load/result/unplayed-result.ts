import { availableParallelism } from 'node:os';
import type { LoadResult } from '../model/load-result.ts';

/** What is known of a run that never began. */
export type Unplayed = Pick<
  LoadResult,
  'reason' | 'target' | 'profile' | 'seed' | 'version' | 'startedAt'
>;

/** Returns the result of a run that never began: incomplete, with its reason and no figures. */
export function unplayedResult(unplayed: Unplayed): LoadResult {
  const { profile } = unplayed;
  return {
    kind: 'load',
    verdict: 'incomplete',
    ...unplayed,
    durationMs: 0,
    sent: 0,
    rateReached: 0,
    warmUpS: profile.warmUpS,
    leftOut: [],
    client: {
      processes: profile.processes,
      lostProcesses: 0,
      cpu: [],
      lagP99Ms: 0,
      lagMaxMs: 0,
      node: process.version,
      cores: availableParallelism(),
    },
    endpoints: [],
    intervalS: 1,
    series: [],
    thresholds: profile.thresholds.map((threshold) => ({
      ...threshold,
      endpoint: threshold.endpoint ?? 'all',
      held: false,
    })),
    samples: { judged: 0, wrong: 0, byEndpoint: {}, findings: [] },
  };
}
