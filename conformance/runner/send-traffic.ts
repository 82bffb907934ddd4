import type { RequestTarget } from '../client/request.ts';
import { endpointOf } from '../contract/paths.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import type { Rule } from '../model/rule.ts';
import { inParallel } from './in-parallel.ts';
import { enterPhase, judgesAnyReply, type Run, send, withFallbackIfStopped } from './run-state.ts';

/** Sends the requests of the generator, for the rules that judge any reply. */
export async function sendTraffic(run: Run): Promise<void> {
  const { generator, seed, concurrency, profile } = run.options;
  if (!run.rules.some(judgesAnyReply)) return;
  enterPhase(run, 'traffic');
  const requests = generator.traffic(run.facts ?? NO_FACTS, seed, profile);
  const targets = inTime(run, concerning(run.rules, requests));
  const sent = inParallel(targets, concurrency, async (target) => {
    await send(run, target);
  });
  await withFallbackIfStopped(sent, undefined);
}

/**
 * Share of the run's time at which the traffic ends: it is broad, and no single request is
 * essential.
 */
const TRAFFIC_ENDS = 0.95;

function* inTime<T>({ options, startedAtMs }: Run, targets: Iterable<T>) {
  const endsAtMs = startedAtMs + TRAFFIC_ENDS * options.maxTimeMs;
  for (const target of targets) {
    if (options.clock.now() >= endsAtMs) return;
    yield target;
  }
}

/** Omits the requests whose replies no rule would judge. */
function* concerning(rules: readonly Rule[], targets: Iterable<RequestTarget>) {
  const operations = new Set(
    rules.filter(judgesAnyReply).map((rule) => (rule.kind === 'reply' ? rule.endpoint : undefined)),
  );
  for (const target of targets) {
    const operation = endpointOf(target.path);
    if (operations.has(undefined) || operations.has(operation)) yield target;
  }
}
