import type { Progress, RunListener } from '../model/events.ts';
import type { Ledger } from './ledger.ts';
import type { Scheduler } from './scheduler.ts';

/** Tells a listener how far a run is. */
export type ProgressReporter = {
  readonly enter: (phase: Progress['phase']) => void;
  readonly probeDone: () => void;
  readonly tick: () => void;
};

/** A reporter of a run that is about to begin. */
export function createProgressReporter(run: {
  readonly listener: RunListener;
  readonly ledger: Ledger;
  readonly scheduler: Scheduler;
  readonly probes: number;
}): ProgressReporter {
  const { listener, ledger, scheduler, probes } = run;
  const startedAt = performance.now();
  let phase: Progress['phase'] = 'discovery';
  let probesDone = 0;
  const tick = () =>
    listener({
      type: 'progress',
      progress: {
        phase,
        requests: scheduler.sent(),
        failing: [...ledger.tallies.values()].filter(({ causes }) => causes.size > 0).length,
        probesDone,
        probes,
        elapsedMs: performance.now() - startedAt,
      },
    });
  return {
    tick,
    enter: (next) => {
      phase = next;
      tick();
    },
    probeDone: () => {
      probesDone++;
      tick();
    },
  };
}
