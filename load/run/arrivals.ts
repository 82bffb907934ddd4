import type { LoadRequest, RequestSource } from '../model/load-request.ts';
import { dueTimes, type Share, type Stage, totalDurationS } from './schedule.ts';

/** How requests arrive: on a schedule that does not wait for replies, or as fast as the connections go. */
export type Workload =
  | { readonly model: 'open'; readonly stages: readonly Stage[] }
  | { readonly model: 'closed'; readonly durationS: number };

/** The requests of one process in the order in which they are due. Times are milliseconds after the start of the run. */
export type Arrivals = {
  readonly durationMs: number;
  /** When the next request is due, or undefined after the last; in a closed workload one always is. */
  readonly nextDueMs: (nowMs: number) => number | undefined;
  readonly take: () => LoadRequest;
  /** Takes one after the other what was due by then. */
  readonly takeOverdue: (untilMs: number) => Iterable<{ request: LoadRequest; dueMs: number }>;
};

/** Returns the arrivals of a workload, or of one process's share of it. */
export function createArrivals(
  workload: Workload,
  share: Share,
  requestAt: RequestSource,
): Arrivals {
  let number = share.index;
  const takeRequest = (): LoadRequest => {
    const request = requestAt(number);
    number += share.count;
    return request;
  };
  if (workload.model === 'closed') {
    const durationMs = 1000 * workload.durationS;
    return {
      durationMs,
      nextDueMs: (nowMs) => (nowMs < durationMs ? nowMs : undefined),
      take: takeRequest,
      takeOverdue: () => [],
    };
  }
  const schedule = dueTimes(workload.stages, share);
  let next = schedule.next().value ?? undefined;
  const take = (): LoadRequest => {
    next = schedule.next().value ?? undefined;
    return takeRequest();
  };
  return {
    durationMs: 1000 * totalDurationS(workload.stages),
    nextDueMs: () => next,
    take,
    *takeOverdue(untilMs) {
      while (next !== undefined && next <= untilMs) {
        const dueMs = next;
        yield { request: take(), dueMs };
      }
    },
  };
}
