import { RunStopped } from '../client/scheduler.ts';
import { endpointOf } from '../contract/paths.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import type { ProbeRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { openTally, type Tally } from '../model/tally.ts';
import { inParallel } from './in-parallel.ts';
import { obstacleOf } from './judging.ts';
import { notSent, type Run } from './run-state.ts';

/**
 * Runs probes and records their verdicts. Replies to an unselected probe are judged like all
 * others.
 */
export async function runProbes(run: Run, probes: readonly ProbeRule[]): Promise<void> {
  const { ledger, pace, share } = run;
  const { maxRequests, concurrency } = run.scheduler;
  // If requests are limited, probes run one after another, so that timing does not determine which
  // probes are skipped.
  const atOnce = maxRequests === Number.POSITIVE_INFINITY ? concurrency : 1;
  run.enterPhase('probes');
  await inParallel(probes, atOnce, async (rule) => {
    // An unselected probe runs only for its requests.
    const tally = ledger.tallyOf(rule) ?? openTally(rule).tally;
    const breadth = pace.breadth();
    pace.breadths.set(rule.id, breadth);
    await runProbe(run, rule, { tally, breadth, share });
    pace.probesDone++;
    run.reportProgress();
  });
}

/** Runs one probe and records its verdict in the tally. */
export async function runProbe(
  run: Run,
  rule: ProbeRule,
  {
    tally,
    breadth,
    share,
  }: { readonly tally: Tally } & Required<Pick<Session, 'breadth' | 'share'>>,
): Promise<void> {
  const { frozen, tolerancePpm, seed, clock } = run.options;
  const facts = run.facts ?? NO_FACTS;
  let dropped = 0;
  const startedAtMs = clock.now();
  const get: Session['get'] = async (target) => {
    const operation = endpointOf(target.path);
    if (run.operations && !(operation && run.operations.has(operation))) {
      return notSent(target, 'no selected rule judges the reply');
    }
    const exchange = await run.send(target);
    const { outcome } = exchange;
    if (outcome.kind === 'no-reply' && outcome.cause === 'too-large') {
      throw new RunStopped(outcome.message, 'operation');
    }
    if (outcome.kind === 'large-reply') dropped = Math.max(dropped, outcome.characters);
    return exchange;
  };
  try {
    const choices = { seed: seedOf(rule.id, seed), breadth, frozen, tolerancePpm };
    await rule.check({ facts, get, share, ...choices }, tally);
    if (dropped > 0) {
      tally.explainStuck(`a reply of ${dropped} characters was too large to store`);
    }
  } catch (error) {
    tally.block(obstacleOf(rule, error));
  }
  tally.durationMs += clock.now() - startedAtMs;
}

/**
 * Returns a separate seed for each rule, so that a new rule does not change the choices of other
 * rules.
 *
 * @example seedOf('swap/acyclic', 1) === seedOf('swap/acyclic', 1) // true
 */
function seedOf(ruleId: string, runSeed: number): number {
  let hash = 0x811c9dc5 ^ runSeed;
  for (const letter of ruleId) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return hash >>> 1;
}
