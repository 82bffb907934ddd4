import { createRequestSource, type RequestMix } from '../mix/request-mix.ts';
import type { IntervalFigures } from '../model/figures.ts';
import type { Workload } from './arrivals.ts';
import { type EngineResult, runEngine } from './engine.ts';
import type { SampledReply } from './engine-options.ts';
import { type JudgeOrder, openJudgePool, type Told } from './judge-pool.ts';
import type { Share } from './schedule.ts';

/** What one client is to play. Plain data, so that it can go to a process of its own. */
export type ClientOrder = {
  readonly origin: string;
  readonly workload: Workload;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly warmUpS: number;
  readonly share: Share;
  readonly samplesPerSecond: number;
  /** Judges every reply in threads of the client's process; absent, samples are reported. */
  readonly judging?: JudgeOrder | undefined;
  readonly mix: RequestMix;
  readonly apiKey: string;
};

/** What a client tells while it plays. */
export type ClientReport =
  | ({ readonly kind: 'judged' } & Told)
  | { readonly kind: 'intervals'; readonly intervals: readonly IntervalFigures[] }
  | LoadSample;

/** A reply taken out of the run to be judged. */
export type LoadSample = Omit<SampledReply, 'request' | 'body'> & {
  readonly kind: 'sample';
  /** Up to the API key, which is not in it. */
  readonly target: string;
  readonly endpoint: string;
  /** Base64. */
  readonly body: string;
};

/** Clients that play one workload together. */
export type Clients = {
  /** One result a client; one that died has none. */
  readonly results: Promise<readonly (EngineResult | undefined)[]>;
  /** Ends the run early; the results follow. */
  readonly stop: () => void;
};

/** Starts one client an order, lets them begin together once all are connected, and passes on what they report. */
export type StartClients = (
  orders: readonly ClientOrder[],
  onReport: (report: ClientReport) => void,
) => Clients;

/** Plays what is ordered; `whenConnected` is called once every connection has been tried, and the run starts when it resolves. */
export async function playOrder(
  order: ClientOrder,
  onReport: (report: ClientReport) => void,
  whenConnected: () => Promise<void>,
  signal: AbortSignal,
): Promise<EngineResult> {
  const { origin, mix, apiKey, judging, ...rest } = order;
  const keyLength = encodeURIComponent(apiKey).length;
  const pool = judging && openJudgePool(judging, (told) => onReport({ kind: 'judged', ...told }));
  const endPool = (): void => pool?.end();
  signal.addEventListener('abort', endPool);
  const result = await runEngine({
    ...rest,
    ...(pool !== undefined && { samplesPerSecond: Number.POSITIVE_INFINITY }),
    origin: new URL(origin),
    requestAt: createRequestSource(mix, apiKey),
    whenConnected: async () => {
      await pool?.ready;
      await whenConnected();
    },
    onSample({ request, ...reply }) {
      const { endpoint } = request;
      const target = request.target.slice(0, request.target.length - keyLength);
      if (pool !== undefined) pool.offer({ ...reply, target, endpoint });
      else
        onReport({
          kind: 'sample',
          ...reply,
          target,
          endpoint,
          body: reply.body.toString('base64'),
        });
    },
    onIntervals(intervals) {
      pool?.flush();
      if (intervals.length > 0) onReport({ kind: 'intervals', intervals });
    },
    signal,
  });
  await pool?.drained();
  endPool();
  signal.removeEventListener('abort', endPool);
  if (pool === undefined || result.durationMs === 0) return result;
  // What the judges took is no cost of sending.
  return { ...result, cpu: Math.max(0, result.cpu - pool.cpuMs() / result.durationMs) };
}
