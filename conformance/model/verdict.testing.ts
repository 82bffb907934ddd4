import type { Fault, Finding, Observation, Obstacle, ProbeRule, Rule } from './rule.ts';
import type { Session } from './session.ts';
import { openTally, type Reported } from './tally.ts';

/** The result of a rule outside of a run: its assertions, or why it judged nothing. */
export type Verdict =
  | {
      readonly kind: 'judged';
      readonly checks: number;
      readonly findings: readonly (Fault & Partial<Pick<Finding, 'exchange'>>)[];
      readonly observed: readonly Observation[];
    }
  | Obstacle;

/** Returns the verdict that a run derives from what a rule reported. */
export function verdictOf({ tally, faults }: Reported): Verdict {
  const { obstacle, checks, observed } = tally;
  if (obstacle !== undefined) return obstacle;
  if (checks === 0) return { kind: 'could-not-run', why: 'it asserted nothing' };
  return { kind: 'judged', checks, findings: faults, observed: [...observed.values()] };
}

/** Runs a probe on its own. */
export async function runProbe(rule: ProbeRule, session: Session): Promise<Verdict> {
  const reported = openTally(rule);
  await rule.check(session, reported.tally);
  return verdictOf(reported);
}

/** A probe of no section, for tests of what probes are made of. */
export function probeOf(check: ProbeRule['check']): ProbeRule & Rule {
  return { kind: 'probe', id: 'test/probe', clause: 'own', level: 'must', title: '', check };
}
