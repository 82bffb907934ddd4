import { type Static, Type } from 'typebox';

// A timer takes no more than 24 days, and no client sends a million requests a second.
const MOST_SECONDS = 604_800;
const MOST_RATE = 1_000_000;
const Rate = Type.Number({
  exclusiveMinimum: 0,
  maximum: MOST_RATE,
  description: 'requests a second',
});
const Seconds = Type.Number({
  exclusiveMinimum: 0,
  maximum: MOST_SECONDS,
  description: 'seconds',
});

/** A stretch of an open workload: at `rate`, or in a straight line from the rate before to `rate`. */
const StageSchema = Type.Object(
  {
    durationS: Seconds,
    rate: Type.Number({ minimum: 0, maximum: MOST_RATE, description: 'requests a second' }),
    /** `step` jumps to the rate, `ramp` goes there in a straight line. Default `step`. */
    shape: Type.Optional(Type.Enum(['step', 'ramp'])),
  },
  { additionalProperties: false },
);

const WorkloadSchema = Type.Union([
  Type.Object(
    { model: Type.Literal('open'), stages: Type.Array(StageSchema, { minItems: 1 }) },
    {
      additionalProperties: false,
      description: 'requests arrive on a schedule, whatever the service does',
    },
  ),
  Type.Object(
    { model: Type.Literal('closed'), durationS: Seconds },
    { additionalProperties: false, description: 'as fast as the connections go' },
  ),
  Type.Object(
    {
      model: Type.Literal('breakpoint'),
      startRate: Rate,
      maxRate: Rate,
      stepS: Seconds,
      /** The search ends when the bracket is this narrow, relative to the rate. */
      precision: Type.Number({ exclusiveMinimum: 0, maximum: 0.5 }),
    },
    {
      additionalProperties: false,
      description:
        'searches the highest rate at which the thresholds hold: doubling, then bisection',
    },
  ),
]);

const MixEntrySchema = Type.Object(
  {
    /** What to ask for; `invalid` breaks one parameter rule of /swap and expects 400. */
    request: Type.Enum(['swap', 'tokens', 'chains', 'chainInfo', 'invalid']),
    weight: Type.Number({ exclusiveMinimum: 0 }),
    /** /swap only. Default `exact-input`. */
    trade: Type.Optional(Type.Enum(['exact-input', 'exact-output'])),
    /** /swap only: which side is the native token. Default `neither`. */
    native: Type.Optional(Type.Enum(['neither', 'sell', 'buy'])),
    calldata: Type.Optional(Type.Boolean()),
    rfq: Type.Optional(Type.Boolean()),
    router: Type.Optional(Type.Enum(['service-router', 'universal-router', 'default-router'])),
  },
  { additionalProperties: false },
);
/** One kind of request and its weight. */
export type MixEntry = Static<typeof MixEntrySchema>;

/** The figures that a threshold can bound. */
export const METRICS = [
  'p50',
  'p75',
  'p90',
  'p95',
  'p99',
  'p99.9',
  'p99.99',
  'max',
  'mean',
  'errors',
  'rate',
  'wrong',
] as const;

const ThresholdSchema = Type.Object(
  {
    /** Latencies are milliseconds from when a request was due; `errors` is a share of the requests; `rate` is what was reached of what was asked for; `wrong` counts sampled replies that break a rule. */
    metric: Type.Enum(METRICS),
    /** A name of the mix, such as `swap calldata`; unset, all requests together. */
    endpoint: Type.Optional(Type.String()),
    /** The most that is allowed. */
    max: Type.Optional(Type.Number({ minimum: 0 })),
    /** The least that is allowed. */
    min: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { additionalProperties: false },
);
/** A bound on one figure. */
export type Threshold = Static<typeof ThresholdSchema>;

/** A load profile: data, from a file or built in. Its JSON Schema is `docs/load-profile.schema.json`. */
export const ProfileSchema = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    description: Type.String(),
    workload: WorkloadSchema,
    /** Connections in all, over all processes. */
    connections: Type.Integer({ minimum: 1, maximum: 10_000 }),
    /** Client processes that divide the schedule among them. */
    processes: Type.Integer({ minimum: 1, maximum: 64 }),
    timeoutMs: Type.Integer({ minimum: 1, maximum: 600_000 }),
    /** Seconds at the start that are left out of the figures. */
    warmUpS: Type.Number({ minimum: 0, maximum: MOST_SECONDS }),
    /** A run is invalid when 1 % of its requests went out later than this although a connection was free. Default 20. */
    maxClientLagMs: Type.Optional(Type.Number({ minimum: 0 })),
    mix: Type.Array(MixEntrySchema, { minItems: 1 }),
    thresholds: Type.Array(ThresholdSchema),
  },
  { additionalProperties: false },
);
export type Profile = Static<typeof ProfileSchema>;
