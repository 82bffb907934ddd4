import type { ProbeRule } from '../model/rule.ts';
import { RunStopped, type Session } from '../model/session.ts';
import { describeBug } from './jury.ts';
import { countObservation, type Ledger } from './ledger.ts';

/** Runs one probe and writes what it says into the ledger. Never rejects. */
export async function runProbe(
  rule: ProbeRule,
  session: Omit<Session, 'seed'>,
  runSeed: number,
  ledger: Ledger,
): Promise<void> {
  const tally = ledger.tallies.get(rule.id);
  if (tally === undefined) return;
  try {
    const verdict = await rule.run({ ...session, seed: seedOf(rule.id, runSeed) });
    if (verdict.kind !== 'judged') {
      tally.setback = verdict;
      return;
    }
    tally.checks += verdict.checks;
    if (verdict.observed !== undefined) countObservation(tally.observed, verdict.observed);
    for (const finding of verdict.findings) ledger.addFinding(rule, finding, {});
  } catch (error) {
    const why = error instanceof RunStopped ? error.message : describeBug(rule.id, error);
    tally.setback = { kind: 'could-not-run', why };
  }
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
