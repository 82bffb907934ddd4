import type { RequestTarget } from '../client/request.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import { inParallel } from './in-parallel.ts';
import { enterPhase, type Run, send, unlessStopped } from './run-state.ts';

/** Sends the requests of the generator, for the rules that judge any reply. */
export async function sendTraffic(run: Run): Promise<void> {
  const { generator, seed, concurrency } = run.options;
  if (!run.rules.some(({ kind }) => kind === 'reply' || kind === 'exchange')) return;
  enterPhase(run, 'traffic');
  const targets = inTime(run, numbered(generator.traffic(run.facts ?? NO_FACTS, seed)));
  const sent = inParallel(targets, concurrency, async ({ target, path }) => {
    await send(run, target, path);
  });
  await unlessStopped(sent, undefined);
}

/** Of the time of a run, what the traffic leaves for its end: it is broad, and needs no last request. */
const TRAFFIC_ENDS = 0.95;

function* inTime<T>({ options, startedAtMs }: Run, targets: Iterable<T>) {
  const endsAtMs = startedAtMs + TRAFFIC_ENDS * options.maxTimeMs;
  for (const target of targets) {
    if (options.clock.now() >= endsAtMs) return;
    yield target;
  }
}

function* numbered(targets: Iterable<RequestTarget>) {
  let index = 0;
  for (const target of targets) yield { target, path: `traffic:${index++}` };
}
