import type { Report, RuleResult } from '../model/report.ts';

/** Which failures count: those of `must` rules alone, or those of `should` rules too. */
export type Gate = 'must' | 'should';

export type VerdictInput = {
  readonly results: readonly RuleResult[];
  readonly gate: Gate;
  readonly staleWaivers: number;
  /** Why there was nothing to judge: the service could not be reached, or has no chain that was named. */
  readonly unreachable: string | undefined;
  /** Why the run ended before its end, if it did. */
  readonly cutShort: string | undefined;
  /** The user ended the run. */
  readonly interrupted: boolean;
};

export function judgeRun(input: VerdictInput): Pick<Report, 'verdict' | 'reason'> {
  const { results, gate, staleWaivers, unreachable, cutShort } = input;
  const counts = (level: string) => level === 'must' || (gate === 'should' && level === 'should');
  const gating = results.filter(({ level }) => counts(level));
  const failed = gating.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  const unrun = gating.filter(({ outcome }) => outcome === 'could-not-run').map(({ id }) => id);
  const judged = gating.filter(({ outcome }) => outcome === 'pass' || outcome === 'waived');
  const level = gate === 'must' ? '`must`' : '`must` or `should`';
  if (unreachable !== undefined) return { verdict: 'incomplete', reason: unreachable };
  if (input.interrupted) return { verdict: 'incomplete', reason: 'The run was ended early.' };
  if (failed.length > 0) {
    return {
      verdict: 'nonconforming',
      reason: `${failed.length} ${level} ${rules(failed.length)} failed: ${list(failed)}.`,
    };
  }
  if (staleWaivers > 0) {
    const waivers = staleWaivers === 1 ? 'waiver has' : 'waivers have';
    const reason = `${staleWaivers} ${waivers} expired or no longer ${staleWaivers === 1 ? 'fires' : 'fire'}.`;
    return { verdict: 'nonconforming', reason };
  }
  if (unrun.length > 0) {
    return {
      verdict: 'incomplete',
      reason: `${unrun.length} ${level} ${rules(unrun.length)} could not run: ${list(unrun)}.`,
    };
  }
  if (judged.length === 0) {
    return { verdict: 'incomplete', reason: `No ${level} rule asserted anything.` };
  }
  return {
    verdict: 'conforming',
    reason: `All ${judged.length} ${level} rules that apply are kept${cutShort === undefined ? '' : `, as far as the run went: ${cutShort}`}.`,
  };
}

/** How many rules of each level came out how. */
export function summarize(results: readonly RuleResult[]): Report['summary'] {
  const of = (level: RuleResult['level']) => {
    const count = (outcome: RuleResult['outcome']) =>
      results.filter((result) => result.level === level && result.outcome === outcome).length;
    return {
      pass: count('pass'),
      fail: count('fail'),
      waived: count('waived'),
      notApplicable: count('not-applicable'),
      couldNotRun: count('could-not-run'),
      observed: count('observed'),
    };
  };
  return { must: of('must'), should: of('should'), observe: of('observe') };
}

/** The exit code that scripts depend on: 0 conforming, 1 not conforming, 3 incomplete. */
export function exitCodeOf({ verdict }: Pick<Report, 'verdict'>): 0 | 1 | 3 {
  switch (verdict) {
    case 'conforming':
      return 0;
    case 'nonconforming':
      return 1;
    case 'incomplete':
      return 3;
  }
}

function rules(count: number): string {
  return count === 1 ? 'rule' : 'rules';
}

function list(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(', ');
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown;
}
