import { type Static, Type } from '../../conformance/contract/schema.ts';
import { ProfileSchema } from './profile.ts';

const Milliseconds = Type.Number({ minimum: 0 });
const Count = Type.Integer({ minimum: 0 });

/** Latency by percentile, in milliseconds. */
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

/** By kind: timeout, reset, refused, protocol, client, status, unsent. */
const ErrorsSchema = Type.Record(Type.String(), Count);

/** What ended in one stretch of time. */
const IntervalResultSchema = Type.Object({
  startS: Type.Number({ minimum: 0 }),
  requests: Count,
  errors: ErrorsSchema,
  ...PercentilesSchema.properties,
  /** As those of an endpoint; of all requests together it is the sum of the endpoints'. Absent where nothing ended. */
  latencyHistogram: Type.Optional(Type.String()),
});
export type IntervalResult = Static<typeof IntervalResultSchema>;

const EndpointResultSchema = Type.Object({
  /** A name of the mix, or `all`. */
  name: Type.String(),
  /** Due after the warm-up, sent or not. */
  requests: Count,
  /** Of the requests, those that were sent before the schedule's end. */
  sentInTime: Count,
  errors: ErrorsSchema,
  statuses: Type.Record(Type.String(), Count),
  /** From when a request was due. */
  latencyMs: PercentilesSchema,
  /** From when a request was sent. */
  serviceMs: PercentilesSchema,
  /** HdrHistogram V2, compressed, base64, in microseconds: to merge and compare runs. */
  latencyHistogram: Type.String(),
  serviceHistogram: Type.String(),
  /** Over time; of `all`, it is the run's own. */
  series: Type.Optional(Type.Array(IntervalResultSchema)),
});
export type EndpointResult = Static<typeof EndpointResultSchema>;

const RunIntervalSchema = Type.Object({
  ...IntervalResultSchema.properties,
  sent: Type.Optional(Count),
  /** Seconds that it lasted: the last one may be shorter than the others, or longer by a moment. */
  lengthS: Type.Optional(Type.Number({ minimum: 0 })),
  /** Requests a second that were due. */
  asked: Type.Optional(Type.Number({ minimum: 0 })),
  /** Requests a second that were sent. */
  reached: Type.Number({ minimum: 0 }),
  /** Requests a second that were answered as expected. */
  answered: Type.Number({ minimum: 0 }),
});
export type RunInterval = Static<typeof RunIntervalSchema>;

const ThresholdResultSchema = Type.Object({
  metric: Type.String(),
  /** A name of the mix, or `all`. */
  endpoint: Type.String(),
  max: Type.Optional(Type.Number()),
  min: Type.Optional(Type.Number()),
  /** Absent where nothing was measured: such a threshold does not hold. */
  actual: Type.Optional(Type.Number()),
  held: Type.Boolean(),
  /** Start of the first interval in which the figure was past the bound. */
  firstCrossedS: Type.Optional(Type.Number()),
});
export type ThresholdResult = Static<typeof ThresholdResultSchema>;

const WrongReplySchema = Type.Object({
  rule: Type.String(),
  clause: Type.String(),
  expected: Type.String(),
  actual: Type.String(),
  /** Path and query, the key as `$SWAPCHECK_API_KEY`. */
  target: Type.String(),
  status: Type.Integer(),
  excerpt: Type.String(),
  count: Count,
  firstS: Type.Number(),
});
export type WrongReply = Static<typeof WrongReplySchema>;

const BreakpointSchema = Type.Object({
  steps: Type.Array(
    Type.Object({
      rate: Type.Number(),
      reached: Type.Number(),
      /** `invalid`: the client itself could not keep the schedule at this rate. */
      outcome: Type.Enum(['held', 'crossed', 'invalid']),
      p50: Milliseconds,
      p99: Milliseconds,
      errors: Count,
      /** The thresholds that did not hold, or what else kept the rate from holding. */
      reasons: Type.Array(Type.String()),
    }),
  ),
  /** The highest rate that held; absent if none did. */
  highestHeld: Type.Optional(Type.Number()),
  /** The lowest rate that did not hold; absent if all did. */
  lowestCrossed: Type.Optional(Type.Number()),
});
export type Breakpoint = Static<typeof BreakpointSchema>;

/** A run whose figures were added to those of others. */
const PartSchema = Type.Object({
  runId: Type.String(),
  /** The file that it was read from. */
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
  /** No other run has it: a run is merged once. Absent where none began. */
  runId: Type.Optional(Type.String()),
  /** `invalid`: the client itself could not keep its schedule; `incomplete`: cut short, or nothing could be measured. */
  verdict: Type.Enum(['passed', 'failed', 'invalid', 'incomplete']),
  reason: Type.String(),
  target: Type.String(),
  seed: Type.Integer(),
  startedAt: Type.String(),
  profile: ProfileSchema,
  /** Of the whole run; of a search, all its rates. */
  durationMs: Milliseconds,
  sent: Count,
  /** Of them, those that met a connection closed while it lay idle, and went out again on another. */
  sentAgain: Type.Optional(Count),
  /** Requests a second after the warm-up; absent in a closed workload. */
  rateAsked: Type.Optional(Type.Number()),
  /** Of the requests due after the warm-up, those sent before the schedule's end, a second. */
  rateReached: Type.Number(),
  /** Seconds at the start that are in the series but not in the figures. */
  warmUpS: Type.Number({ minimum: 0 }),
  /** Kinds of the mix that this service could not be asked, with the reason. */
  leftOut: Type.Array(Type.String()),
  /** What is known of the service's side. */
  service: Type.Optional(
    Type.Object({
      /** `other`: somewhere else, `child`: the reference, in a process of its own on this machine. */
      kind: Type.Enum(['other', 'child']),
      /** The `server` header of its replies, if it has one. */
      software: Type.Optional(Type.String()),
      /** The median time of a look-up before the load began. */
      idleMs: Type.Optional(Milliseconds),
    }),
  ),
  client: Type.Object({
    processes: Count,
    lostProcesses: Count,
    /** Processor time over run time, a process each. */
    cpu: Type.Array(Type.Number()),
    /** How late requests went out although a connection was free. */
    lagP99Ms: Milliseconds,
    lagMaxMs: Milliseconds,
    node: Type.String(),
    cores: Count,
    /** What played the profile where that was not `swapcheck load`: its replies are not judged here. */
    engine: Type.Optional(Type.String()),
  }),
  /** The first is `all`. */
  endpoints: Type.Array(EndpointResultSchema),
  intervalS: Type.Number(),
  series: Type.Array(RunIntervalSchema),
  thresholds: Type.Array(ThresholdResultSchema),
  /** The replies that were judged by the rules, the warm-up's too; of a search, those of all rates. */
  samples: Type.Object({
    judged: Count,
    wrong: Count,
    /** Where every reply was to be judged, those that were not: the judges could not follow. */
    leftOut: Type.Optional(Count),
    byEndpoint: Type.Record(Type.String(), Type.Object({ judged: Count, wrong: Count })),
    findings: Type.Array(WrongReplySchema),
  }),
  /** What a search found. All other figures are then those of the highest rate that held, or of the first. */
  breakpoint: Type.Optional(BreakpointSchema),
  /** The runs that were merged, each of which played the profile; absent of a run as it was played. */
  parts: Type.Optional(Type.Array(PartSchema)),
});
export type LoadResult = Static<typeof LoadResultSchema>;
