import { NO_FACTS } from '../discovery/discover.ts';
import { RunStopped } from '../model/session.ts';
import { inParallel } from './in-parallel.ts';
import { describeBug } from './reply-judge.ts';
import { enterPhase, type Run, reportProgress, send } from './run-state.ts';

/** Runs every probe, and writes down what each says. */
export async function runProbes(run: Run): Promise<void> {
  const { ledger, options, probes } = run;
  const { frozen, tolerancePpm, execution, seed, maxRequests, concurrency } = options;
  const session = {
    facts: run.facts ?? NO_FACTS,
    get: (target: Parameters<typeof send>[1]) => send(run, target),
    frozen,
    tolerancePpm,
    ...(execution === undefined ? {} : { execution }),
  };
  // With a budget, one probe after another: which of them it leaves out must not hang on timing.
  const atOnce = maxRequests === undefined ? concurrency : 1;
  enterPhase(run, 'probes');
  await inParallel(probes, atOnce, async (rule) => {
    try {
      ledger.addProbeVerdict(rule, await rule.run({ ...session, seed: seedOf(rule.id, seed) }));
    } catch (error) {
      const stopped = error instanceof RunStopped;
      ledger.setBack(
        rule,
        stopped ? { kind: 'could-not-run', why: error.message } : describeBug(rule, error),
      );
    }
    run.probesDone++;
    reportProgress(run);
  });
}

/**
 * A seed of its own for each rule, so that adding a rule changes no other's choices.
 *
 * @example seedOf('swap/acyclic', 1) === seedOf('swap/acyclic', 1) // true
 */
export function seedOf(ruleId: string, runSeed: number): number {
  let hash = 0x811c9dc5 ^ runSeed;
  for (const letter of ruleId) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return hash >>> 1;
}
