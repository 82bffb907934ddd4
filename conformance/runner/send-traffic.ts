import type { RequestTarget } from '../client/request.ts';
import { endpointOf } from '../contract/paths.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import type { Rule } from '../model/rule.ts';
import { inParallel } from './in-parallel.ts';
import { affordableTraffic, served, trafficEndsAt } from './pace.ts';
import { enterPhase, judgesAnyReply, type Run, send, withFallbackIfStopped } from './run-state.ts';

/** Sends the requests of the generator, for the rules that judge any reply. */
export async function sendTraffic(run: Run): Promise<void> {
  const { generator, seed, concurrency } = run.options;
  if (!run.rules.some(judgesAnyReply)) return;
  run.servedBeforeTraffic = served(run);
  enterPhase(run, 'traffic');
  const requests = generator.traffic(run.facts ?? NO_FACTS, seed, affordableTraffic(run));
  const targets = inTime(run, judgedTargets(run.rules, requests));
  const sent = inParallel(targets, concurrency, async (target) => {
    await send(run, target);
  });
  await withFallbackIfStopped(sent, undefined);
}

function* inTime<T>(run: Run, targets: Iterable<T>) {
  const endsAtMs = trafficEndsAt(run);
  for (const target of targets) {
    if (run.options.clock.now() >= endsAtMs) return;
    yield target;
  }
}

function* judgedTargets(rules: readonly Rule[], targets: Iterable<RequestTarget>) {
  const operations = new Set(
    rules.filter(judgesAnyReply).map((rule) => (rule.kind === 'reply' ? rule.endpoint : undefined)),
  );
  for (const target of targets) {
    const operation = endpointOf(target.path);
    if (operations.has(undefined) || operations.has(operation)) yield target;
  }
}
