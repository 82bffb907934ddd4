import type { RequestListener } from 'node:http';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { PATHS } from '../../conformance/contract/paths.ts';
import type { MarketChange } from '../market/market.ts';
import type { Proof, ProvenPlan, RoutingPlan } from '../planner/graph/plan.ts';
import type { Planner } from './options.ts';
import type { PlanningQueue } from './planning-queue.ts';
import { pathOf } from './query.ts';

/** Figures of one process that serves, as Prometheus reads them. */
export type ServiceMetrics = ReturnType<typeof createServiceMetrics>;

const OPERATIONS = new Map<string, string>(
  Object.entries(PATHS).map(([operation, path]) => [path, operation]),
);
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Name of the gauge that `/readyz` asks. */
export const READY = 'swapcheck_reference_ready';

/** Returns figures that all begin at nothing. `clock` tells milliseconds since 1970. */
export function createServiceMetrics(clock: () => number = Date.now) {
  const registry = new Registry();
  const blockTimes = new Map<number, number>();
  let waiting = () => 0;
  const { requests, latency, planning, gap, shed, ready, lost } = instruments(registry, {
    waiting: () => waiting(),
    ages: () => [...blockTimes].map(([chainId, time]) => [chainId, clock() / 1000 - time] as const),
  });
  const setBlockTime = (chainId: number, timestamp: number) => {
    blockTimes.set(chainId, timestamp);
    lost.set({ chain: chainId }, 0);
  };
  return {
    registry,
    setReady: (isReady: boolean) => ready.set(isReady ? 1 : 0),
    /** Tells when the block that a chain is quoted at was mined, in Unix seconds. */
    setBlockTime,
    countChange: (change: MarketChange) => {
      if (change.kind === 'lost') lost.set({ chain: change.chainId }, 1);
      else setBlockTime(change.chainId, change.market.block.timestamp);
    },
    /** Counts what passes through, and changes nothing; so do those below. */
    meterRequests:
      (listener: RequestListener): RequestListener =>
      (request, response) => {
        const operation = OPERATIONS.get(pathOf(request.url ?? '/')) ?? 'none';
        const endTimer = latency.startTimer({ operation });
        response.once('close', () => {
          endTimer();
          const status = response.writableFinished ? response.statusCode : 'abandoned';
          requests.inc({ operation, status });
        });
        listener(request, response);
      },
    meterPlans:
      (planner: Planner): Planner =>
      (market, request) => {
        const endTimer = planning.startTimer();
        const plan = planner(market, request);
        endTimer();
        const proof = plan.kind === 'plan' ? provenBy(plan) : undefined;
        if (proof !== undefined) gap.observe(Math.max(0, proof.gap));
        return plan;
      },
    meterQueue: (queue: PlanningQueue): PlanningQueue => {
      waiting = () => queue.length();
      return {
        ...queue,
        run: async (job, isAbandoned) => {
          const outcome = await queue.run(job, isAbandoned);
          if (outcome.kind === 'shed') shed.inc();
          return outcome;
        },
        refuseEarly: (refuse, isAbandoned) =>
          queue.refuseEarly((retryAfterMs) => {
            shed.inc();
            refuse(retryAfterMs);
          }, isAbandoned),
      };
    },
  };
}

function provenBy(plan: RoutingPlan): Proof | undefined {
  return 'proof' in plan ? (plan as ProvenPlan).proof : undefined;
}

/** What is asked for when the figures are read. */
type Readings = {
  readonly waiting: () => number;
  /** In seconds, by chain. */
  readonly ages: () => Iterable<readonly [chainId: number, seconds: number]>;
};

function instruments(registry: Registry, { waiting, ages }: Readings) {
  const registers = [registry];
  const name = (what: string) => `swapcheck_reference_${what}`;
  return {
    requests: new Counter({
      name: name('requests_total'),
      help: 'Requests by operation and status; abandoned where the client hung up.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    latency: new Histogram({
      name: name('request_seconds'),
      help: 'From the head of a request to the end of its reply.',
      labelNames: ['operation'],
      buckets: SECONDS,
      registers,
    }),
    planning: new Histogram({
      name: name('planning_seconds'),
      help: 'What the planner takes for a trade.',
      buckets: SECONDS,
      registers,
    }),
    gap: new Histogram({
      name: name('plan_gap_ratio'),
      help: 'How far plans are at most from the best there is, as part of it.',
      buckets: [1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1],
      registers,
    }),
    shed: new Counter({
      name: name('shed_total'),
      help: 'Trades refused for load.',
      registers,
    }),
    queued: new Gauge({
      name: name('queued'),
      help: 'Trades that wait to be planned.',
      registers,
      collect() {
        this.set(waiting());
      },
    }),
    ready: new Gauge({
      name: READY,
      help: '1 while requests are taken and markets can be quoted.',
      aggregator: 'min',
      registers,
    }),
    lost: new Gauge({
      name: name('market_lost'),
      help: '1 while a chain is not quoted, since its market is too old.',
      labelNames: ['chain'],
      aggregator: 'max',
      registers,
    }),
    age: new Gauge({
      name: name('market_age_seconds'),
      help: 'Age of the block that a chain is quoted at.',
      labelNames: ['chain'],
      aggregator: 'max',
      registers,
      collect() {
        for (const [chain, seconds] of ages()) this.set({ chain }, seconds);
      },
    }),
  };
}
