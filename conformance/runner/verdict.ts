import type { Report, RuleResult } from '../model/report.ts';
import { OWN_CLAUSE } from '../model/rule.ts';

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
  /** What may be wrong with how the service was asked, as a sentence beside its failures. */
  readonly doubt: string | undefined;
  /** The user ended the run. */
  readonly interrupted: boolean;
};

/** Returns the verdict on the promises of the specification, and apart from it that on the user's own rules. */
export function judgeRun(input: VerdictInput): Pick<Report, 'verdict' | 'reason' | 'own'> {
  const [own, specified] = partition(input.results, isOwn);
  if (own.length === 0) return judgeSpecified(input);
  const judged = {
    ...judgeSpecified({ ...input, results: specified }),
    own: judgeOwn(own, input.gate),
  };
  const isAlone = specified.length === 0 && input.staleWaivers === 0;
  if (!isAlone || input.unreachable !== undefined || input.interrupted) return judged;
  return { ...judged, verdict: 'conforming', reason: 'No rule of the specification took part.' };
}

function isOwn({ clause }: RuleResult): boolean {
  return clause === OWN_CLAUSE;
}

function judgeOwn(own: readonly RuleResult[], gate: Gate): NonNullable<Report['own']> {
  const gating = own.filter(({ level }) => counts(level, gate));
  const of = (outcome: RuleResult['outcome']) =>
    gating.filter((result) => result.outcome === outcome).map(({ id }) => id);
  const [failed, unrun] = [of('fail'), of('could-not-run')];
  const summary = countOutcomes(own);
  if (failed.length > 0) {
    const reason = `Of your own rules ${failed.length} failed: ${list(failed)}.`;
    return { verdict: 'broken', reason, summary };
  }
  if (unrun.length > 0) {
    const reason = `Of your own rules ${unrun.length} could not run: ${list(unrun)}.`;
    return { verdict: 'incomplete', reason, summary };
  }
  const kept = of('pass').length + of('waived').length;
  return { verdict: 'kept', reason: `Your own rules that apply are kept: ${kept}.`, summary };
}

function counts(level: RuleResult['level'], gate: Gate): boolean {
  return level === 'must' || (gate === 'should' && level === 'should');
}

function judgeSpecified(input: VerdictInput): Pick<Report, 'verdict' | 'reason'> {
  const { results, gate, staleWaivers, unreachable, cutShort } = input;
  const gating = results.filter(({ level }) => counts(level, gate));
  const failed = gating.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  const stuck = gating.filter(({ outcome }) => outcome === 'could-not-run');
  const unrun = stuck.map(({ id }) => id);
  const judged = gating.filter(({ outcome }) => outcome === 'pass' || outcome === 'waived');
  const level = gate === 'must' ? '`must`' : '`must` or `should`';
  if (unreachable !== undefined) return { verdict: 'incomplete', reason: unreachable };
  if (input.interrupted) return { verdict: 'incomplete', reason: 'The run was ended early.' };
  if (failed.length > 0) {
    const isBailed = cutShort?.startsWith('--bail') ?? false;
    const end = isBailed ? 'The run was cut short by --bail.' : (input.doubt ?? '');
    const reason = `${failed.length} ${level} ${rules(failed.length)} failed: ${list(failed)}. ${end}`;
    return {
      verdict: 'nonconforming',
      reason: reason.trimEnd(),
    };
  }
  if (staleWaivers > 0) {
    const waivers = staleWaivers === 1 ? 'waiver has' : 'waivers have';
    const reason = `${staleWaivers} ${waivers} expired or no longer ${staleWaivers === 1 ? 'fires' : 'fire'}.`;
    return { verdict: 'nonconforming', reason };
  }
  if (unrun.length > 0) {
    const [why = '', ...others] = new Set(stuck.map((rule) => rule.why));
    // What keeps all of them from running, or ended the run, is what there is to mend.
    const cause = others.length === 0 ? why : (cutShort ?? '');
    const because = cause === '' ? '' : ` Why: ${cause}.`;
    return {
      verdict: 'incomplete',
      reason: `${unrun.length} ${level} ${rules(unrun.length)} could not run: ${list(unrun)}.${because}`,
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

/** How many rules of the specification came out how, by level. */
export function summarize(results: readonly RuleResult[]): Report['summary'] {
  const of = (level: RuleResult['level']) =>
    countOutcomes(results.filter((result) => result.level === level && !isOwn(result)));
  return { must: of('must'), should: of('should'), observe: of('observe') };
}

function countOutcomes(results: readonly RuleResult[]): Report['summary']['must'] {
  const count = (outcome: RuleResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).length;
  return {
    pass: count('pass'),
    fail: count('fail'),
    waived: count('waived'),
    notApplicable: count('not-applicable'),
    couldNotRun: count('could-not-run'),
    observed: count('observed'),
  };
}

/** The exit code that scripts depend on: 0 conforming, 1 not conforming or a rule of the user's own broken, 3 incomplete. */
export function exitCodeOf({ verdict, own }: Pick<Report, 'verdict' | 'own'>): 0 | 1 | 3 {
  if (verdict === 'nonconforming' || own?.verdict === 'broken') return 1;
  return verdict === 'incomplete' || own?.verdict === 'incomplete' ? 3 : 0;
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function rules(count: number): string {
  return count === 1 ? 'rule' : 'rules';
}

function list(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(', ');
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown;
}
