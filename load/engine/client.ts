import { createRequestSource } from '../mix/request-mix.ts';
import type { IntervalMetrics } from '../model/metrics.ts';
import type { ClientOrder, RunHooks, RunResult, SampledReply } from './client-order.ts';
import { runClosed } from './closed-model.ts';
import { runOpen } from './open-model.ts';

/** A message from a client during its run. */
export type ClientReport =
  | {
      readonly kind: 'samples';
      readonly samples: readonly LoadSample[];
      /** Samples omitted since the last report, because the receiver had fallen behind. */
      readonly omitted: number;
    }
  | { readonly kind: 'intervals'; readonly intervals: readonly IntervalMetrics[] };

/** A sampled reply, which the rules judge. */
export type LoadSample = Omit<SampledReply, 'request'> & {
  /** Target without the API key at its end. */
  readonly target: string;
  readonly endpoint: string;
};

/** Clients that run one workload together. */
export type Clients = {
  /** One result per client; undefined for a client that ended without a result. */
  readonly results: Promise<readonly (RunResult | undefined)[]>;
  /** Ends the run early; the results follow. */
  readonly stop: () => void;
};

/** Sends a report. `onTaken` is called when the receiver has accepted the report. */
export type SendReport = (report: ClientReport, onTaken: () => void) => void;

/**
 * Starts one client per order. The clients begin together when all are connected. `onReport`
 * receives their reports.
 */
export type StartClients = (
  orders: readonly ClientOrder[],
  onReport: (report: ClientReport) => void,
) => Clients;

/**
 * Runs an order. Tries every connection, calls `whenConnected`, and starts when the returned
 * promise resolves.
 */
export async function runOrder(
  order: ClientOrder,
  sendReport: SendReport,
  whenConnected: () => Promise<void>,
  signal: AbortSignal,
): Promise<RunResult> {
  const { workload, mix, apiKey } = order;
  const keyLength = encodeURIComponent(apiKey).length;
  const outbox = createOutbox(sendReport);
  const hooks: RunHooks = {
    requestAt: createRequestSource(mix, apiKey),
    whenConnected,
    onSample({ request, ...reply }) {
      const { endpoint } = request;
      const target = request.target.slice(0, request.target.length - keyLength);
      outbox.add({ ...reply, target, endpoint });
    },
    onIntervals(intervals) {
      outbox.flush();
      if (intervals.length > 0) sendReport({ kind: 'intervals', intervals }, () => {});
    },
    signal,
  };
  return workload.model === 'open'
    ? runOpen({ ...order, workload }, hooks)
    : runClosed({ ...order, workload }, hooks);
}

/** Sends samples in batches. Omits some while the receiver is several batches behind. */
export function createOutbox(sendReport: SendReport) {
  let batch: LoadSample[] = [];
  let batchBytes = 0;
  let omitted = 0;
  let pending = 0;
  const isFull = () => batch.length >= MAX_BATCH_SAMPLES || batchBytes >= MAX_BATCH_BYTES;
  const onTaken = (): void => {
    pending -= 1;
  };
  const flush = (): void => {
    if (batch.length === 0 && omitted === 0) return;
    pending += 1;
    sendReport({ kind: 'samples', samples: batch, omitted }, onTaken);
    batch = [];
    batchBytes = 0;
    omitted = 0;
  };
  return {
    flush,
    add(sample: LoadSample): void {
      if (isFull() && pending < MAX_PENDING_BATCHES) flush();
      if (isFull()) omitted += 1;
      else {
        batch.push(sample);
        batchBytes += sample.body.length;
      }
    },
  };
}

const MAX_BATCH_SAMPLES = 256;
const MAX_BATCH_BYTES = 2 ** 20;
const MAX_PENDING_BATCHES = 4;
