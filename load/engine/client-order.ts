import type { LoadRequest, RequestMix, RequestSource } from '../mix/request-mix.ts';
import type { EndpointMetrics, IntervalMetrics } from '../model/metrics.ts';
import type { ConnectOptions, ReplyContent } from './connection.ts';
import type { Share, Workload } from './schedule.ts';

/** The work of one client. Plain data, so that it can be sent to a separate process. */
export type ClientOrder<Model extends Workload['model'] = Workload['model']> = {
  /** Scheme, host, port and path prefix of the service. */
  readonly origin: string;
  readonly connectOptions?: ConnectOptions | undefined;
  readonly workload: Extract<Workload, { readonly model: Model }>;
  readonly connections: number;
  /** Maximum time for a complete reply. */
  readonly timeoutMs: number;
  readonly warmUpS: number;
  readonly mix: RequestMix;
  /** API key of every request. */
  readonly apiKey: string;
  /**
   * Maximum number of sampled replies per second, evenly spread. At a lower rate, all replies are
   * sampled.
   */
  readonly samplesPerSecond: number;
  /** This client's share of the requests. */
  readonly share: Share;
};

/** Functions that an engine calls during a run. */
export type RunHooks = {
  readonly requestAt: RequestSource;
  readonly onSample: (reply: SampledReply) => void;
  /** Called every second with the intervals that have ended. */
  readonly onIntervals: (intervals: IntervalMetrics[]) => void;
  /**
   * Called after every connection has been tried. The run starts when the promise resolves.
   * Default: immediately.
   */
  readonly whenConnected?: () => Promise<void>;
  /** Ends the run early. The metrics so far are returned. */
  readonly signal?: AbortSignal;
};

/** A reply that the rules judge. */
export type SampledReply = ReplyContent & {
  readonly request: LoadRequest;
  readonly status: number;
  /** Due time of the request, in milliseconds after the start of the run. */
  readonly dueMs: number;
  readonly latencyMs: number;
};

/** Metrics of one client. */
export type RunResult = {
  readonly endpoints: Record<string, EndpointMetrics>;
  /** Requests sent, on time or late, including the warm-up. */
  readonly sent: number;
  /** Requests sent again because their idle connection had been closed. */
  readonly sentAgain: number;
  readonly durationMs: number;
  /**
   * Lateness of requests for which a connection was free. This lateness is the client's own fault.
   */
  readonly clientLag: { readonly p99Ms: number; readonly maxMs: number };
  /** Processor time of this process divided by the duration of the run: 1 is one core. */
  readonly cpu: number;
  readonly aborted: boolean;
};
