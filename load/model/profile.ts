import { type Static, Type } from '../../conformance/contract/schema.ts';
import { METRICS } from './metrics.ts';

// Timers are limited to 24 days, and no client sends a million requests per second.
const MAX_SECONDS = 604_800;
const MAX_RATE = 1_000_000;
const Rate = Type.Number({
  exclusiveMinimum: 0,
  maximum: MAX_RATE,
  description: 'requests per second',
});
const Seconds = Type.Number({
  exclusiveMinimum: 0,
  maximum: MAX_SECONDS,
  description: 'seconds',
});

const StageSchema = Type.Object(
  {
    durationS: Seconds,
    rate: Type.Number({ minimum: 0, maximum: MAX_RATE, description: 'requests per second' }),
    shape: Type.Optional(
      Type.Enum(['step', 'ramp'], {
        description:
          'step changes the rate at once, ramp changes it linearly from the previous rate; default step',
      }),
    ),
  },
  { additionalProperties: false },
);

const WorkloadSchema = Type.Union([
  Type.Object(
    { model: Type.Literal('open'), stages: Type.Array(StageSchema, { minItems: 1 }) },
    {
      additionalProperties: false,
      description: 'requests arrive on a schedule, independent of the service',
    },
  ),
  Type.Object(
    { model: Type.Literal('closed'), durationS: Seconds },
    { additionalProperties: false, description: 'as fast as the connections allow' },
  ),
  Type.Object(
    {
      model: Type.Literal('breakpoint'),
      startRate: Rate,
      maxRate: Rate,
      stepS: Seconds,
      precision: Type.Number({
        exclusiveMinimum: 0,
        maximum: 0.5,
        description:
          'the search ends when the bracket is at most this wide, as a fraction of the rate',
      }),
    },
    {
      additionalProperties: false,
      description:
        'searches for the highest rate at which the thresholds hold: doubles the rate, then bisects',
    },
  ),
]);

const MixEntrySchema = Type.Object(
  {
    request: Type.Enum(['swap', 'tokens', 'chains', 'chainInfo', 'invalid'], {
      description:
        'kind of request; invalid breaks one parameter rule of /swap and expects 400. Fields other than weight are for swap only',
    }),
    weight: Type.Number({ exclusiveMinimum: 0, description: 'relative frequency' }),
    trade: Type.Optional(
      Type.Enum(['exact-input', 'exact-output'], { description: 'default exact-input' }),
    ),
    native: Type.Optional(
      Type.Enum(['neither', 'sell', 'buy'], {
        description: 'side that is the native token; default neither',
      }),
    ),
    calldata: Type.Optional(Type.Boolean({ description: 'includeCalldata; default false' })),
    rfq: Type.Optional(Type.Boolean({ description: 'useRfq; default false' })),
    router: Type.Optional(
      Type.Enum(['service-router', 'universal-router', 'default-router'], {
        description: 'default: chosen by the service',
      }),
    ),
  },
  { additionalProperties: false },
);
/** One kind of request and its weight. */
export type MixEntry = Static<typeof MixEntrySchema>;

/**
 * Returns the name of a mix entry's metrics.
 *
 * @example
 * kindName({ request: 'swap', weight: 1, trade: 'exact-output', calldata: true }) // 'swap
 * exact-output calldata'
 */
export function kindName(entry: MixEntry): string {
  const { request, trade, native, calldata, rfq, router } = entry;
  const traits = [
    trade === 'exact-output' ? 'exact-output' : '',
    native === undefined || native === 'neither' ? '' : `native-${native}`,
    calldata ? 'calldata' : '',
    rfq ? 'rfq' : '',
    router ?? '',
  ];
  return [request, ...traits].filter((part) => part !== '').join(' ');
}

const ThresholdSchema = Type.Object(
  {
    metric: Type.Enum(METRICS, {
      description:
        'latencies are milliseconds from when a request was due; errors is a share of the requests; rate is the share of requests sent in time; wrong counts sampled replies that break a rule',
    }),
    endpoint: Type.Optional(
      Type.String({
        description: 'a name in the mix, such as "swap calldata"; if unset, all requests together',
      }),
    ),
    max: Type.Optional(Type.Number({ minimum: 0, description: 'maximum' })),
    min: Type.Optional(Type.Number({ minimum: 0, description: 'minimum' })),
  },
  { additionalProperties: false },
);
/** A bound on one metric. */
export type Threshold = Static<typeof ThresholdSchema>;

/** A load profile, from a file or built in. Its JSON Schema is `docs/load-profile.schema.json`. */
export const ProfileSchema = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    description: Type.String(),
    workload: WorkloadSchema,
    connections: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'total over all processes',
    }),
    processes: Type.Integer({
      minimum: 1,
      maximum: 64,
      description: 'client processes that divide the schedule among them',
    }),
    timeoutMs: Type.Integer({
      minimum: 1,
      maximum: 600_000,
      description: 'maximum time for a complete reply, in milliseconds',
    }),
    warmUpS: Type.Number({
      minimum: 0,
      maximum: MAX_SECONDS,
      description: 'seconds at the start that the metrics exclude',
    }),
    maxClientLagMs: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          'a run is invalid if 1% of its requests were sent later than this while a connection was free; default 20',
      }),
    ),
    mix: Type.Array(MixEntrySchema, { minItems: 1 }),
    thresholds: Type.Array(ThresholdSchema),
  },
  { additionalProperties: false },
);
export type Profile = Static<typeof ProfileSchema>;
