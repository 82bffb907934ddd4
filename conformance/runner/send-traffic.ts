import type { RequestTarget } from '../client/request.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import { inParallel } from './in-parallel.ts';
import { enterPhase, type Run, send, unlessStopped } from './run-state.ts';

/** Sends the requests of the generator, for the rules that judge any reply. */
export async function sendTraffic(run: Run): Promise<void> {
  const { generator, seed, concurrency } = run.options;
  if (!run.rules.some(({ kind }) => kind === 'reply' || kind === 'exchange')) return;
  enterPhase(run, 'traffic');
  const targets = numbered(generator.traffic(run.facts ?? NO_FACTS, seed));
  const sent = inParallel(targets, concurrency, async ({ target, path }) => {
    await send(run, target, path);
  });
  await unlessStopped(sent, undefined);
}

function* numbered(targets: Iterable<RequestTarget>) {
  let index = 0;
  for (const target of targets) yield { target, path: `traffic:${index++}` };
}
