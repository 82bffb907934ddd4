import type { IntervalFigures } from '../model/figures.ts';
import type { LoadRequest, RequestSource } from '../model/load-request.ts';
import type { Workload } from './arrivals.ts';
import type { ReplyContent } from './connection.ts';
import type { Share } from './schedule.ts';

/** What one process is to do. */
export type EngineOptions = {
  /** Origin of the service: scheme, host, port. */
  readonly origin: URL;
  readonly workload: Workload;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly warmUpS: number;
  readonly requestAt: RequestSource;
  /** Which share of the schedule is this process's. */
  readonly share: Share;
  /** Of the replies, about so many a second are handed to `onSample`, spread evenly; all, where fewer come. */
  readonly samplesPerSecond: number;
  readonly onSample: (reply: SampledReply) => void;
  /** Every second: the intervals that have ended. */
  readonly onIntervals: (intervals: IntervalFigures[]) => void;
  /** Called once every connection has been tried; the run starts when it resolves. Default: at once. */
  readonly whenConnected?: () => Promise<void>;
  /** Ends the run early; what was measured is returned. */
  readonly signal?: AbortSignal;
};

/** A reply that is to be judged by the rules. */
export type SampledReply = ReplyContent & {
  readonly request: LoadRequest;
  readonly status: number;
  /** When it was due, after the start of the run. */
  readonly dueMs: number;
  readonly latencyMs: number;
};
