import { type Static, Type } from '../../conformance/contract/schema.ts';
import { ProfileSchema } from './profile.ts';

const Milliseconds = Type.Number({ minimum: 0 });
const Count = Type.Integer({ minimum: 0 });

const PercentilesSchema = Type.Object({
  mean: Milliseconds,
  p50: Milliseconds,
  p75: Milliseconds,
  p90: Milliseconds,
  p95: Milliseconds,
  p99: Milliseconds,
  'p99.9': Milliseconds,
  'p99.99': Milliseconds,
  max: Milliseconds,
});
export type Percentiles = Static<typeof PercentilesSchema>;

/** The keys are timeout, reset, refused, protocol, too-large, client, status and unsent. */
const ErrorsSchema = Type.Record(Type.String(), Count);

const IntervalResultSchema = Type.Object({
  startS: Type.Number({ minimum: 0 }),
  requests: Count,
  errors: ErrorsSchema,
  ...PercentilesSchema.properties,
  /**
   * Latencies, encoded like the `latencyHistogram` of an endpoint. Absent if no request ended, and
   * in the series of all requests.
   */
  latencyHistogram: Type.Optional(Type.String()),
});
export type IntervalResult = Static<typeof IntervalResultSchema>;

const EndpointResultSchema = Type.Object({
  /** Name in the mix, or `all`. */
  name: Type.String(),
  /** Requests due after the warm-up, sent or not. */
  requests: Count,
  /** Requests that were sent before the end of the schedule. */
  sentInTime: Count,
  errors: ErrorsSchema,
  statuses: Type.Record(Type.String(), Count),
  /** Latency, measured from when a request was due. */
  latencyMs: PercentilesSchema,
  /** Latency, measured from when a request was sent. */
  serviceMs: PercentilesSchema,
  /** Compressed HdrHistogram V2 of microseconds, as base64. Needed to merge and compare runs. */
  latencyHistogram: Type.String(),
  serviceHistogram: Type.String(),
  /** Metrics over time. For `all`, see the series of the run. */
  series: Type.Optional(Type.Array(IntervalResultSchema)),
});
export type EndpointResult = Static<typeof EndpointResultSchema>;

const RunIntervalSchema = Type.Object({
  ...IntervalResultSchema.properties,
  sent: Count,
  /** Length in seconds. The last interval may be shorter than the others, or slightly longer. */
  lengthS: Type.Number({ minimum: 0 }),
  /** Requests per second that were due. */
  requested: Type.Optional(Type.Number({ minimum: 0 })),
  /** Requests per second that were sent. */
  reached: Type.Number({ minimum: 0 }),
  /** Requests per second that had the expected status. */
  succeeded: Type.Number({ minimum: 0 }),
});
export type RunInterval = Static<typeof RunIntervalSchema>;

const ThresholdResultSchema = Type.Object({
  metric: Type.String(),
  /** Name in the mix, or `all`. */
  endpoint: Type.String(),
  max: Type.Optional(Type.Number()),
  min: Type.Optional(Type.Number()),
  /** Measured value. Absent if nothing was measured; the threshold then does not hold. */
  actual: Type.Optional(Type.Number()),
  held: Type.Boolean(),
  /** Start of the first interval in which the metric crossed the bound. */
  firstCrossedS: Type.Optional(Type.Number()),
});
export type ThresholdResult = Static<typeof ThresholdResultSchema>;

const WrongReplySchema = Type.Object({
  rule: Type.String(),
  clause: Type.String(),
  expected: Type.String(),
  actual: Type.String(),
  /** Path and query, with `$SWAPCHECK_API_KEY` instead of the key. */
  target: Type.String(),
  status: Type.Integer(),
  excerpt: Type.String(),
  count: Count,
  firstS: Type.Number(),
});
export type WrongReply = Static<typeof WrongReplySchema>;

const ErrorReplySchema = Type.Object({
  status: Type.Integer(),
  /** Path and query, with `$SWAPCHECK_API_KEY` instead of the key. */
  target: Type.String(),
  excerpt: Type.String(),
});
export type ErrorReply = Static<typeof ErrorReplySchema>;

const BreakpointSchema = Type.Object({
  steps: Type.Array(
    Type.Object({
      rate: Type.Number(),
      reached: Type.Number(),
      /** `invalid`: the client could not keep the schedule at this rate. */
      outcome: Type.Enum(['held', 'crossed', 'invalid']),
      p50: Milliseconds,
      p99: Milliseconds,
      errors: Count,
      /** Thresholds that did not hold, or the reason why the step is invalid. */
      reasons: Type.Array(Type.String()),
    }),
  ),
  /** Highest rate at which all thresholds held; absent if there is none. */
  highestHeld: Type.Optional(Type.Number()),
  /** Lowest rate that did not hold; absent if every rate held. */
  lowestCrossed: Type.Optional(Type.Number()),
});
export type Breakpoint = Static<typeof BreakpointSchema>;

const PartSchema = Type.Object({
  runId: Type.String(),
  /** File from which the run was read. */
  source: Type.String(),
  target: Type.String(),
  startedAt: Type.String(),
  verdict: Type.String(),
  requests: Count,
  node: Type.String(),
});

/** The JSON result of a load run. Its JSON Schema is `docs/load-result.schema.json`. */
export const LoadResultSchema = Type.Object({
  kind: Type.Literal('load'),
  version: Type.String(),
  /** Unique ID, which prevents merging a run twice. Absent if the run did not start. */
  runId: Type.Optional(Type.String()),
  /**
   * `invalid`: the client could not keep its schedule, or the mix could not be built. `incomplete`:
   * the run ended early, or nothing could be measured.
   */
  verdict: Type.Enum(['passed', 'failed', 'invalid', 'incomplete']),
  reason: Type.String(),
  target: Type.String(),
  seed: Type.Integer(),
  startedAt: Type.String(),
  profile: ProfileSchema,
  /** Duration of the run. For a search, the sum over its rates. */
  durationMs: Milliseconds,
  sent: Count,
  /** Requests sent again because their idle connection had been closed. */
  sentAgain: Count,
  /** Requests per second after the warm-up; absent in a closed workload. */
  rateRequested: Type.Optional(Type.Number()),
  /**
   * Requests per second that were due after the warm-up and sent before the end of the schedule.
   */
  rateReached: Type.Number(),
  /** Seconds at the start that are in the series but not in the metrics. */
  warmUpS: Type.Number({ minimum: 0 }),
  /** Kinds of the mix that the service does not offer, and other omitted parts. */
  omitted: Type.Array(Type.String()),
  /** Properties of the service that its replies show. */
  service: Type.Optional(
    Type.Object({
      /** `other`: any service; `child`: the reference, in a separate process on this machine. */
      kind: Type.Enum(['other', 'child']),
      /** `Server` header of the service's replies, if any. */
      software: Type.Optional(Type.String()),
      /** Median time of a lookup before the run. */
      idleMs: Type.Optional(Milliseconds),
    }),
  ),
  client: Type.Object({
    processes: Count,
    lostProcesses: Count,
    /** Processor time over run time, by process. */
    cpu: Type.Array(Type.Number()),
    /** 99th percentile of the lateness of requests for which a connection was free. */
    lagP99Ms: Milliseconds,
    lagMaxMs: Milliseconds,
    node: Type.String(),
    cores: Count,
    /**
     * Engine that ran the profile, if not `swapcheck load`. Replies to such an engine are not
     * judged.
     */
    engine: Type.Optional(Type.String()),
  }),
  /** The first entry, `all`, combines all requests. */
  endpoints: Type.Array(EndpointResultSchema),
  intervalS: Type.Number(),
  series: Type.Array(RunIntervalSchema),
  thresholds: Type.Array(ThresholdResultSchema),
  /**
   * Replies that the rules judged, including replies in the warm-up. For a search, replies at all
   * rates.
   */
  samples: Type.Object({
    judged: Count,
    wrong: Count,
    /** With `--judge all`: replies that were not judged because the judge had fallen behind. */
    omitted: Type.Optional(Count),
    byEndpoint: Type.Record(Type.String(), Type.Object({ judged: Count, wrong: Count })),
    findings: Type.Array(WrongReplySchema),
    /** One reply for each unexpected status. */
    errors: Type.Optional(Type.Array(ErrorReplySchema)),
  }),
  /**
   * Result of a search. The other metrics describe the highest rate that held, or the first rate if
   * none held.
   */
  breakpoint: Type.Optional(BreakpointSchema),
  /**
   * Runs that were merged into this result. Each ran the whole profile. Absent for a single run.
   */
  parts: Type.Optional(Type.Array(PartSchema)),
});
export type LoadResult = Static<typeof LoadResultSchema>;
