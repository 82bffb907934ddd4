import type { Exchange } from '../client/exchange.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Report, RuleResult } from './report.ts';

/** Progress of a run, in order; `run-finished` is always the last event. */
export type RunEvent =
  | {
      readonly type: 'run-started';
      readonly target: string;
      readonly seed: number;
      readonly rules: number;
    }
  // Emitted only if the run has something to judge.
  | {
      readonly type: 'discovery-finished';
      readonly facts: Facts;
      /** Estimated duration of the rest of the run; at most the time that the run has left. */
      readonly expectedMs: number;
      /**
       * Set if the run was adapted to a slow service: the share of the usual requests, the reason,
       * and the estimated duration of the quick profile.
       */
      readonly slowdown?:
        | { readonly share: number; readonly why: string; readonly quickMs: number }
        | undefined;
    }
  | { readonly type: 'exchange'; readonly exchange: Exchange }
  | { readonly type: 'rate-limited'; readonly waitMs: number }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'rule-finished'; readonly result: RuleResult }
  | { readonly type: 'run-finished'; readonly report: Report };

/** The progress of a run. */
export type Progress = {
  /**
   * `repeating` judges the failures of an earlier run first, `shrinking` looks for smaller requests
   * that fail, and `verifying` sends failing requests again.
   */
  readonly phase:
    | 'discovery'
    | 'repeating'
    | 'probes'
    | 'settlement'
    | 'traffic'
    | 'shrinking'
    | 'verifying';
  readonly requests: number;
  /** Rules with a failure so far. */
  readonly failing: number;
  readonly probesDone: number;
  readonly probes: number;
  /** Replies that limit the rate so far. */
  readonly rateLimited?: number | undefined;
  /** Estimated time to the end, without settlements; undefined if it cannot be estimated. */
  readonly leftMs?: number | undefined;
  readonly elapsedMs: number;
};

/** Receives events in order; must not throw. */
export type RunListener = (event: RunEvent) => void;
