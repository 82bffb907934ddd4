import { createRequestSource, type MixPlan } from '../mix/mix-plan.ts';
import { type EngineResult, runEngine, type Workload } from './engine.ts';
import type { IntervalFigures } from './recorder.ts';
import type { Share } from './schedule.ts';

/** What a client process is told, once; a second message, `stop`, ends it early. */
export type WorkerOrder = {
  readonly origin: string;
  readonly workload: Workload;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly warmUpS: number;
  readonly share: Share;
  readonly samplesPerSecond: number;
  readonly mix: MixPlan;
};

/** What a client process tells. */
export type WorkerReport =
  | { readonly kind: 'intervals'; readonly intervals: readonly IntervalFigures[] }
  | {
      readonly kind: 'sample';
      readonly target: string;
      readonly endpoint: string;
      readonly status: number;
      readonly rawHeaders: readonly string[];
      /** Base64. */
      readonly body: string;
      readonly latencyMs: number;
    }
  | { readonly kind: 'result'; readonly result: EngineResult };

/** The entry of a client process: plays what it is ordered, reports, and ends with its parent. */
function main(): void {
  const controller = new AbortController();
  // A terminal sends SIGINT to the whole group: the parent decides what it means.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: WorkerOrder | 'stop') => {
    if (message === 'stop') controller.abort();
    else void play(message, controller.signal);
  });
}

async function play(order: WorkerOrder, signal: AbortSignal): Promise<void> {
  const { origin, mix, ...rest } = order;
  const result = await runEngine({
    ...rest,
    origin: new URL(origin),
    requestAt: createRequestSource(mix),
    onSample: ({ request, body, ...reply }) => {
      const { target, endpoint } = request;
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
