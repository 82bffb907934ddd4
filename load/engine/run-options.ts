import type { LoadRequest, RequestSource } from '../mix/request-mix.ts';
import type { EndpointMetrics, IntervalMetrics } from '../model/metrics.ts';
import type { ConnectOptions, ReplyContent } from './connection.ts';
import type { Share } from './schedule.ts';

/** Options of one process's run, for every workload. */
export type RunOptions = {
  /** Scheme, host, port and path prefix of the service. */
  readonly origin: URL;
  readonly connectOptions?: ConnectOptions | undefined;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly warmUpS: number;
  readonly requestAt: RequestSource;
  /** This process's share of the requests. */
  readonly share: Share;
  /** Maximum replies per second that are passed to `onSample`, evenly spread; all of them at a lower rate. */
  readonly samplesPerSecond: number;
  readonly onSample: (reply: SampledReply) => void;
  /** Called every second with the intervals that have ended. */
  readonly onIntervals: (intervals: IntervalMetrics[]) => void;
  /** Called once every connection has been tried; the run starts when it resolves. Default: at once. */
  readonly whenConnected?: () => Promise<void>;
  /** Ends the run early; the metrics so far are returned. */
  readonly signal?: AbortSignal;
};

/** A reply that is to be judged by the rules. */
export type SampledReply = ReplyContent & {
  readonly request: LoadRequest;
  readonly status: number;
  /** Due time of the request, after the start of the run. */
  readonly dueMs: number;
  readonly latencyMs: number;
};

/** Metrics of one process. */
export type RunResult = {
  readonly endpoints: Record<string, EndpointMetrics>;
  /** Requests sent, on time or late, warm-up included. */
  readonly sent: number;
  /** Sent requests whose idle connection had been closed, and which were sent again on another. */
  readonly sentAgain: number;
  readonly durationMs: number;
  /** Lateness of requests although a connection was free: the client's own fault. */
  readonly clientLag: { readonly p99Ms: number; readonly maxMs: number };
  /** Processor time of this process over the run's time: 1 is one core. */
  readonly cpu: number;
  readonly aborted: boolean;
};

/** Returns whether a status is the one that a request expects: 400 for a request that is broken on purpose. */
export function isExpected({ expect }: LoadRequest, status: number): boolean {
  return status === (expect === 'rejection' ? 400 : 200);
}

/** Decides which replies are sampled: evenly spread over each second. */
export type Sampler = {
  /** Returns whether the reply to the next request is sampled. */
  readonly wantsNext: () => boolean;
  /** Starts a second; the rate of the previous one spreads its samples. */
  readonly endSecond: () => void;
};

/** Returns a sampler that takes at most `perSecond` replies a second, and all of them at a lower rate. */
export function createSampler(perSecond: number): Sampler {
  let every = 1;
  let taken = 0;
  let seen = 0;
  return {
    wantsNext() {
      const isWanted = seen % every === 0 && taken < perSecond;
      seen += 1;
      if (isWanted) taken += 1;
      return isWanted;
    },
    endSecond() {
      every = Math.max(1, Math.floor(seen / perSecond));
      seen = 0;
      taken = 0;
    },
  };
}
