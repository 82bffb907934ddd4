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
  // Emitted if there is something to judge.
  | {
      readonly type: 'discovery-finished';
      readonly facts: Facts;
      /** Estimated duration of the rest of the run. */
      readonly expectedMs: number;
      /** Share of the usual requests that the remaining time allows. */
      readonly breadth: number;
    }
  | { readonly type: 'exchange'; readonly exchange: Exchange }
  | { readonly type: 'rate-limited'; readonly waitMs: number }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'rule-finished'; readonly result: RuleResult }
  | { readonly type: 'run-finished'; readonly report: Report };

/** The progress of a run. */
export type Progress = {
  readonly phase: 'discovery' | 'repeating' | 'probes' | 'settlement' | 'traffic' | 'shrinking';
  readonly requests: number;
  /** Rules with a failure so far. */
  readonly failing: number;
  readonly probesDone: number;
  readonly probes: number;
  /** Estimated total of requests, without settlements; undefined until discovery has ended. */
  readonly expectedRequests?: number | undefined;
  readonly elapsedMs: number;
};

/** Receives events in order; must not throw. */
export type RunListener = (event: RunEvent) => void;
