import { RunStopped } from '../client/scheduler.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import type { ProbeRule, ProbeVerdict } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { inParallel } from './in-parallel.ts';
import { obstacleOf } from './judging.ts';
import type { Run } from './run-state.ts';

/**
 * Runs probes and records their verdicts. Replies to an unselected probe are judged like all
 * others.
 */
export async function runProbes(run: Run, probes: readonly ProbeRule[]): Promise<void> {
  const { ledger, options, pace, share } = run;
  const { frozen, tolerancePpm, seed, maxRequests, concurrency } = options;
  const session = { facts: run.facts ?? NO_FACTS, frozen, tolerancePpm, share };
  // If requests are limited, probes run one after another, so that timing does not determine which
  // probes are skipped.
  const atOnce = maxRequests === undefined ? concurrency : 1;
  run.enterPhase('probes');
  await inParallel(probes, atOnce, async (rule) => {
    let dropped = 0;
    const startedAtMs = options.clock.now();
    const get: Session['get'] = async (target) => {
      const exchange = await run.send(target);
      const { outcome } = exchange;
      if (outcome.kind === 'no-reply' && outcome.cause === 'too-large') {
        throw new RunStopped(outcome.message);
      }
      if (outcome.kind === 'large-reply') dropped = Math.max(dropped, outcome.characters);
      return exchange;
    };
    try {
      const breadth = pace.breadth();
      pace.minBreadth = Math.min(pace.minBreadth, breadth);
      const verdict = await rule.run({ ...session, get, seed: seedOf(rule.id, seed), breadth });
      ledger.addProbeVerdict(rule, withDroppedReplies(verdict, dropped));
    } catch (error) {
      ledger.addObstacle(rule, obstacleOf(rule, error));
    }
    ledger.addDuration(rule, options.clock.now() - startedAtMs);
    pace.probesDone++;
    run.reportProgress();
  });
}

function withDroppedReplies(verdict: ProbeVerdict, characters: number): ProbeVerdict {
  if (verdict.kind !== 'could-not-run' || characters === 0) return verdict;
  const dropped = `a reply of ${characters} characters was too large to store`;
  return { ...verdict, why: `${verdict.why}; ${dropped}` };
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
