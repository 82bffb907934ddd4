import type { MixEntry, Profile, Threshold } from '../model/profile.ts';

const MIX: readonly MixEntry[] = [
  { request: 'swap', weight: 40 },
  { request: 'swap', weight: 15, calldata: true },
  { request: 'swap', weight: 10, trade: 'exact-output' },
  { request: 'swap', weight: 8, native: 'sell', calldata: true },
  { request: 'swap', weight: 7, native: 'buy' },
  { request: 'swap', weight: 5, rfq: true },
  { request: 'tokens', weight: 5 },
  { request: 'chains', weight: 2 },
  { request: 'chainInfo', weight: 3 },
  { request: 'invalid', weight: 5 },
];

const CORRECT: readonly Threshold[] = [
  { metric: 'wrong', max: 0 },
  { metric: 'errors', max: 0.001 },
];

const COMMON = {
  connections: 50,
  processes: 1,
  timeoutMs: 10_000,
  warmUpS: 2,
  mix: [...MIX],
  thresholds: [...CORRECT, { metric: 'rate', min: 0.99 } as const],
};

/** Built-in profiles. A description names no rate and no time, because both can be scaled. */
export const BUILT_IN_PROFILES: readonly Profile[] = [
  {
    ...COMMON,
    name: 'smoke',
    description: 'a short run for CI: checks that every reply arrives and is correct',
    workload: { model: 'open', stages: [{ durationS: 6, rate: 20 }] },
    warmUpS: 1,
    // No threshold concerns speed, since a busy CI runner may delay the client. Requests that are
    // never sent still count as errors.
    maxClientLagMs: 5000,
    thresholds: [...CORRECT],
  },
  {
    ...COMMON,
    name: 'steady',
    description: 'a constant arrival rate',
    workload: { model: 'open', stages: [{ durationS: 60, rate: 200 }] },
  },
  {
    ...COMMON,
    name: 'ramp',
    description: 'a rate that increases in steps',
    workload: {
      model: 'open',
      stages: [100, 200, 400, 800].map((rate) => ({ durationS: 15, rate })),
    },
    connections: 100,
  },
  {
    ...COMMON,
    name: 'spike',
    description: 'ten times the usual rate for a while, and back',
    workload: {
      model: 'open',
      stages: [
        { durationS: 15, rate: 100 },
        { durationS: 10, rate: 1000 },
        { durationS: 20, rate: 100 },
      ],
    },
    connections: 200,
  },
  {
    ...COMMON,
    name: 'soak',
    description: 'a constant rate for a long time, to find growth and drift',
    workload: { model: 'open', stages: [{ durationS: 3600, rate: 100 }] },
    warmUpS: 30,
  },
  {
    ...COMMON,
    name: 'closed',
    description: 'as fast as the connections allow',
    workload: { model: 'closed', durationS: 30 },
    thresholds: [...CORRECT],
  },
  {
    ...COMMON,
    name: 'breakpoint',
    description: 'a search for the highest rate at which the thresholds hold',
    workload: { model: 'breakpoint', startRate: 100, maxRate: 20_000, stepS: 8, precision: 0.05 },
    connections: 200,
    thresholds: [...COMMON.thresholds, { metric: 'p99', max: 250 }],
  },
];
