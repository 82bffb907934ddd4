import type { Exchange } from '../client/exchange.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Report, RuleResult } from './report.ts';

/** What a run tells as it goes, in order; `run-finished` is always the last. */
export type RunEvent =
  | {
      readonly type: 'run-started';
      readonly target: string;
      readonly seed: number;
      readonly rules: number;
    }
  // Where there is something to judge.
  | {
      readonly type: 'discovery-finished';
      readonly facts: Facts;
      /** About how long the rest of the run will take. */
      readonly expectedMs: number;
      /** The share of the usual requests for which there is time. */
      readonly breadth: number;
    }
  | { readonly type: 'exchange'; readonly exchange: Exchange }
  | { readonly type: 'rate-limited'; readonly waitMs: number }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'rule-finished'; readonly result: RuleResult }
  | { readonly type: 'run-finished'; readonly report: Report };

/** How far a run is. */
export type Progress = {
  readonly phase: 'discovery' | 'probes' | 'settlement' | 'traffic' | 'shrinking';
  readonly requests: number;
  /** Rules with a failure so far. */
  readonly failing: number;
  readonly probesDone: number;
  readonly probes: number;
  /** About how many requests there will be in all, settlements apart; undefined until discovery has ended. */
  readonly expectedRequests?: number | undefined;
  readonly elapsedMs: number;
};

/** Receives events in order; must not throw. */
export type RunListener = (event: RunEvent) => void;
