import type { Client } from '../client/client.ts';
import { type Clock, SYSTEM_CLOCK } from '../client/clock.ts';
import type { RequestTarget } from '../client/request.ts';
import type { OpenExecutor } from '../model/executor.ts';
import type { Rule } from '../model/rule.ts';
import type { Simplify, Traffic } from '../model/session.ts';
import type { Gate } from './verdict.ts';
import type { Waiver } from './waivers.ts';

/** Makes requests beside those of the probes, and makes failing ones smaller. */
export type RequestGenerator = {
  readonly traffic: Traffic;
  readonly simplify: Simplify;
  readonly weigh: (target: RequestTarget) => number;
};

export type RunOptions = {
  readonly client: Client;
  /** What the report says was judged: the base URL. */
  readonly target: string;
  readonly rules: readonly Rule[];
  readonly generator: RequestGenerator;
  /** Written into the report. */
  readonly version: string;
  /** Default 1. */
  readonly seed?: number;
  /** Chain ids; default, all that the service names. */
  readonly chains?: readonly number[];
  /** Rule ids, clause ids or sections; default, all. */
  readonly only?: readonly string[];
  /** `should` makes `should` failures count, `must` leaves out all but `must`. Default: all run, `must` counts. */
  readonly level?: Gate;
  /** Default: as many as the probes and the traffic need. */
  readonly maxRequests?: number;
  /** Default 600 s. */
  readonly maxTimeMs?: number;
  /** Requests a second; default, as fast as the service answers. */
  readonly rate?: number;
  /** Requests at once; default 8. */
  readonly concurrency?: number;
  /** Default 1. */
  readonly tolerancePpm?: number;
  /** The market does not move. Default false. */
  readonly frozen?: boolean;
  readonly waivers?: readonly Waiver[];
  /** Executes plans on forked chains; unset, settlement rules do not apply. */
  readonly openExecutor?: OpenExecutor;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Ends the run early; the report is written all the same. */
  readonly signal?: AbortSignal;
};

/** The options of a run, with every default put in. */
export type ResolvedOptions = RunOptions & Required<Pick<RunOptions, keyof typeof DEFAULTS>>;

const DEFAULTS = {
  seed: 1,
  chains: [],
  only: [],
  maxTimeMs: 600_000,
  concurrency: 8,
  tolerancePpm: 1,
  frozen: false,
  waivers: [],
  clock: SYSTEM_CLOCK,
} as const satisfies Partial<RunOptions>;

/** Puts the defaults in. */
export function resolveOptions(options: RunOptions): ResolvedOptions {
  return { ...DEFAULTS, ...options };
}
