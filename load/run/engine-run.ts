import type { Histogram } from 'hdr-histogram-js';
import { createHistogram } from '../model/histogram.ts';
import type { LoadRequest } from '../model/load-request.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';
import type { Connection } from './connection.ts';
import type { EngineClock } from './engine-clock.ts';
import type { EngineOptions } from './engine-options.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { createSampler, type Sampler } from './sampler.ts';

/** One run of the engine, from the first connection to the last reply. */
export type Run = {
  readonly options: EngineOptions;
  readonly clock: EngineClock;
  readonly arrivals: Arrivals;
  readonly recorder: Recorder;
  readonly sampler: Sampler;
  readonly lag: Histogram;
  readonly free: Connection[];
  /** In the order of sending. */
  readonly inFlight: Map<Connection, InFlight>;
  /** Calls off what is still to be called back. */
  readonly callOffs: (() => void)[];
  isPlaying: boolean;
  /** The clock starts when every connection has been tried: connecting is not the service's latency. */
  startedAtMs: number;
  cpuAtStart: NodeJS.CpuUsage;
  sent: number;
  sentAgain: number;
  /** The next request is late because no connection was free, which is no fault of the client's. */
  waitedForConnection: boolean;
  /** Replies read in this turn of the event loop while every connection was busy. */
  heard: number;
  /** When a wake-up is set to. */
  wakeMs: number;
  callOffWake: () => void;
  onTried: () => void;
};

type InFlight = { readonly request: LoadRequest; readonly dueMs: number; readonly sentMs: number };

/** Returns a run that has not begun. */
export function createRun(options: EngineOptions, clock: EngineClock): Run {
  const arrivals = createArrivals(options.workload, options.share, options.requestAt);
  return {
    options,
    clock,
    arrivals,
    recorder: createRecorder({
      warmUpMs: options.warmUpS * 1000,
      scheduleEndMs: arrivals.durationMs,
    }),
    sampler: createSampler(options.samplesPerSecond),
    lag: createHistogram(),
    free: [],
    inFlight: new Map(),
    callOffs: [],
    isPlaying: false,
    startedAtMs: Number.POSITIVE_INFINITY,
    cpuAtStart: process.cpuUsage(),
    sent: 0,
    sentAgain: 0,
    waitedForConnection: false,
    heard: 0,
    wakeMs: Number.POSITIVE_INFINITY,
    callOffWake: () => {},
    onTried: () => {},
  };
}

/** Milliseconds after the start of the run; below 0 where it has not begun. */
export function elapsedMs({ clock, startedAtMs }: Run): number {
  return clock.now() - startedAtMs;
}
