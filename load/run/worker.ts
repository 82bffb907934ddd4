import { endWithParent } from '../../conformance/output/interruptible.ts';
import { createRequestSource, type MixPlan } from '../mix/mix-plan.ts';
import type { IntervalFigures } from '../model/figures.ts';
import type { Workload } from './arrivals.ts';
import { type EngineResult, runEngine } from './engine.ts';
import type { Share } from './schedule.ts';

/** What a client process is told first; then `go` starts its clock, and `stop` ends it early. */
export type WorkerOrder = {
  readonly origin: string;
  readonly workload: Workload;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly warmUpS: number;
  readonly share: Share;
  readonly samplesPerSecond: number;
  readonly mix: MixPlan;
  readonly apiKey: string;
};

/** What a client process tells. */
export type WorkerReport =
  | { readonly kind: 'connected' }
  | { readonly kind: 'intervals'; readonly intervals: readonly IntervalFigures[] }
  | {
      readonly kind: 'sample';
      /** Up to the API key, which is not in it. */
      readonly target: string;
      readonly endpoint: string;
      readonly status: number;
      readonly rawHeaders: readonly string[];
      /** Base64. */
      readonly body: string;
      readonly dueMs: number;
      readonly latencyMs: number;
    }
  | { readonly kind: 'result'; readonly result: EngineResult };

/** The entry of a client process: plays what it is ordered, reports, and ends with its parent. */
function main(): void {
  const controller = new AbortController();
  let go = (): void => {};
  const told = new Promise<void>((resolve) => {
    go = resolve;
  });
  endWithParent();
  process.on('message', (message: WorkerOrder | 'go' | 'stop') => {
    if (message === 'stop') controller.abort();
    else if (message === 'go') go();
    else void play(message, told, controller.signal);
  });
}

async function play(order: WorkerOrder, told: Promise<void>, signal: AbortSignal): Promise<void> {
  const { origin, mix, apiKey, ...rest } = order;
  const keyLength = encodeURIComponent(apiKey).length;
  const result = await runEngine({
    ...rest,
    origin: new URL(origin),
    requestAt: createRequestSource(mix, apiKey),
    whenConnected: () => {
      report({ kind: 'connected' });
      return told;
    },
    onSample: ({ request, body, ...reply }) => {
      const { endpoint } = request;
      const target = request.target.slice(0, request.target.length - keyLength);
      report({ kind: 'sample', target, endpoint, body: body.toString('base64'), ...reply });
    },
    onIntervals: (intervals) => {
      if (intervals.length > 0) report({ kind: 'intervals', intervals });
    },
    signal,
  });
  process.send?.({ kind: 'result', result } satisfies WorkerReport, () => process.disconnect?.());
}

function report(message: WorkerReport): void {
  process.send?.(message);
}

main();
