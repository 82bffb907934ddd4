import { counted } from '../contract/counted.ts';
import { describeNotJudged, type NotJudged } from '../model/not-judged.ts';
import type { Report, RuleResult } from '../model/report.ts';
import { OWN_CLAUSE } from '../model/rule.ts';

/** The levels whose failures count against the verdict: `must` only, or `should` too. */
export type Gate = 'must' | 'should';

export type VerdictInput = {
  readonly results: readonly RuleResult[];
  readonly gate: Gate;
  readonly staleWaivers: number;
  /**
   * Reason why there was nothing to judge, such as a service that cannot be reached or lacks a
   * requested chain.
   */
  readonly unreachable?: string | undefined;
  /** Reason why the run ended early, if it did. */
  readonly cutShort?: string | undefined;
  /**
   * Sentence that explains why the run ended itself early, for example because of `--bail`.
   * Undefined if it did not.
   */
  readonly endedBy?: string | undefined;
  /**
   * Sentence that follows the failures. It states when the service died, or that the URL or the key
   * may be wrong.
   */
  readonly headline?: string | undefined;
  /**
   * Sentence that states that the user ended the run, or that the service started for the run
   * ended. Otherwise undefined.
   */
  readonly interrupted?: string | undefined;
  /** Sentence that states that swapcheck itself failed. Undefined if it did not. */
  readonly crash?: string | undefined;
  readonly notJudged: readonly NotJudged[];
  /** Number of captured replies by operation; undefined if the replies come from a service. */
  readonly captured?: ReadonlyMap<string, number> | undefined;
};

/** Returns the verdict on the specification's rules and, separately, on the user's own rules. */
export function judgeRun(input: VerdictInput): Pick<Report, 'verdict' | 'reason' | 'own'> {
  const own = input.results.filter(isOwn);
  if (own.length === 0) return judgeSpecified(input);
  const specified = input.results.filter((result) => !isOwn(result));
  const judged = {
    ...judgeSpecified({ ...input, results: specified }),
    own: judgeOwn(own, input.gate),
  };
  const hasOnlyOwnRules = specified.length === 0 && input.staleWaivers === 0;
  const { unreachable, interrupted, crash } = input;
  if (!hasOnlyOwnRules || (unreachable ?? interrupted ?? crash) !== undefined) return judged;
  return { ...judged, verdict: 'conforming', reason: 'No rule of the specification took part.' };
}

function isOwn({ clause }: RuleResult): boolean {
  return clause === OWN_CLAUSE;
}

function judgeOwn(own: readonly RuleResult[], gate: Gate): NonNullable<Report['own']> {
  const gating = own.filter(({ level }) => counts(level, gate));
  const failed = idsOf(gating, 'fail');
  const unrun = idsOf(gating, 'could-not-run');
  const summary = countOutcomes(own);
  if (failed.length > 0) {
    const reason = `Of your own rules, ${failed.length} failed: ${list(failed)}.`;
    return { verdict: 'broken', reason, summary };
  }
  if (unrun.length > 0) {
    const reason = `Of your own rules, ${unrun.length} could not run: ${list(unrun)}.`;
    return { verdict: 'incomplete', reason, summary };
  }
  const passed = idsOf(gating, 'pass').length;
  return { verdict: 'kept', reason: `Of your own rules, ${passed} passed.`, summary };
}

function counts(level: RuleResult['level'], gate: Gate): boolean {
  return level === 'must' || (gate === 'should' && level === 'should');
}

function judgeSpecified(input: VerdictInput): Pick<Report, 'verdict' | 'reason'> {
  const { results, gate, staleWaivers, unreachable, cutShort } = input;
  if (unreachable !== undefined) return { verdict: 'incomplete', reason: unreachable };
  if (input.interrupted !== undefined) return { verdict: 'incomplete', reason: input.interrupted };
  const gating = results.filter(({ level }) => counts(level, gate));
  const level = gate === 'must' ? '`must`' : '`must` or `should`';
  const among = describeReplies(input);
  const besides = describeFailedShould(input);
  const failed = idsOf(gating, 'fail');
  if (failed.length > 0) {
    const end = input.endedBy ?? input.headline;
    const what = `${counted(failed.length, `${level} rule`)} failed${among}: ${list(failed)}`;
    return { verdict: 'nonconforming', reason: sentences(`${what}${besides}.`, end) };
  }
  if (staleWaivers > 0) {
    const what = counted(
      staleWaivers,
      'waiver has expired or no longer matches a failure',
      'waivers have expired or no longer match a failure',
    );
    return { verdict: 'nonconforming', reason: `${what}${besides}.` };
  }
  if (input.crash !== undefined) return { verdict: 'incomplete', reason: input.crash };
  const stuck = gating.filter(({ outcome }) => outcome === 'could-not-run');
  if (stuck.length > 0) {
    return { verdict: 'incomplete', reason: couldNotRunReason(stuck, level, input) };
  }
  if (gating.length === 0 && results.length > 0) return judgeUngated(input);
  const judged = gating.filter(({ outcome }) => outcome === 'pass' || outcome === 'waived');
  if (judged.length === 0) {
    return { verdict: 'incomplete', reason: `No ${level} rule asserted anything${among}.` };
  }
  const passed = idsOf(gating, 'pass').length;
  const ending = cutShort === undefined ? '' : `, but the run ended early: ${cutShort}`;
  const unapplied = input.captured === undefined ? [] : idsOf(gating, 'not-applicable');
  return {
    verdict: unapplied.length > 0 ? 'no-failure' : 'conforming',
    reason: sentences(
      `${counted(passed, `${level} rule`)} passed${among}${describeWaived(results)}${ending}${besides}.`,
      unapplied.length === 0
        ? undefined
        : `No reply showed what ${counted(unapplied.length, `${level} rule`)} ${unapplied.length === 1 ? 'judges' : 'judge'}: ${list(unapplied)}.`,
      notJudgedSentence(input.notJudged),
    ),
  };
}

/** @example describeReplies(input) // ' in 3 captured replies (2 of /swap, 1 of /chains)' */
function describeReplies({ captured }: VerdictInput): string {
  if (captured === undefined) return '';
  const parts = [...captured].map(([operation, count]) => `${count} of ${operation}`);
  const total = [...captured.values()].reduce((sum, count) => sum + count, 0);
  const of = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  return ` in ${counted(total, 'captured reply', 'captured replies')}${of}`;
}

/** @example describeFailedShould(input) // '; 5 `should` rules failed' */
function describeFailedShould({ results, gate }: VerdictInput): string {
  const failed = results.filter(({ level, outcome }) => level === 'should' && outcome === 'fail');
  if (gate === 'should' || failed.length === 0) return '';
  return `; ${counted(failed.length, '`should` rule')} failed`;
}

/**
 * If all selected rules are below the gate, a failure must not result in exit code 0 by accident.
 */
function judgeUngated({
  results,
  gate,
  notJudged,
}: VerdictInput): Pick<Report, 'verdict' | 'reason'> {
  const failed = idsOf(results, 'fail');
  if (failed.length > 0) {
    return {
      verdict: 'incomplete',
      reason: `${counted(failed.length, '`should` rule')} failed: ${list(failed)}. No \`must\` rule was selected: pass --level should to count ${failed.length === 1 ? 'it' : 'them'}.`,
    };
  }
  const passed = idsOf(results, 'pass').length;
  const observed = idsOf(results, 'observed').length;
  if (passed + observed === 0) {
    return { verdict: 'incomplete', reason: 'No selected rule asserted anything.' };
  }
  const words = [
    ...(passed > 0 ? [`${counted(passed, '`should` rule')} passed`] : []),
    ...(observed > 0
      ? [`${counted(observed, '`observe` rule')} recorded what the service does`]
      : []),
  ];
  return {
    verdict: 'conforming',
    reason: sentences(
      `${words.join(', ')}. No \`${gate}\` rule was selected.`,
      notJudgedSentence(notJudged),
    ),
  };
}

function couldNotRunReason(
  stuck: readonly RuleResult[],
  level: string,
  input: VerdictInput,
): string {
  const { cutShort, headline } = input;
  const [why = '', ...others] = new Set(stuck.map((rule) => rule.why));
  // If all rules share one reason, shows it, since the user must fix it. Otherwise, shows why the
  // run ended early.
  const cause = others.length === 0 ? why : (cutShort ?? '');
  return sentences(
    `${counted(stuck.length, `${level} rule`)} could not run: ${list(stuck.map(({ id }) => id))}${describeFailedShould(input)}.`,
    headline ?? (cause === '' ? undefined : `Why: ${cause}.`),
  );
}

function notJudgedSentence(notJudged: readonly NotJudged[]): string | undefined {
  if (notJudged.length === 0) return undefined;
  return `Not judged: ${notJudged.map(describeNotJudged).join('; ')}.`;
}

/** @example describeWaived(results) // ', 4 failures are waived' */
function describeWaived(results: readonly RuleResult[]): string {
  const waived = countWaivedFailures(results);
  if (waived === 0) return '';
  return `, ${counted(waived, 'failure is', 'failures are')} waived`;
}

function countWaivedFailures(results: readonly RuleResult[]): number {
  return results.reduce(
    (sum, { failures }) => sum + failures.filter(({ waiver }) => waiver !== undefined).length,
    0,
  );
}

/** Returns the number of the specification's rules by level and outcome. */
export function summarize(results: readonly RuleResult[]): Report['summary'] {
  const of = (level: RuleResult['level']) =>
    countOutcomes(results.filter((result) => result.level === level && !isOwn(result)));
  return { must: of('must'), should: of('should'), observe: of('observe') };
}

function countOutcomes(results: readonly RuleResult[]): Report['summary']['must'] {
  const count = (outcome: RuleResult['outcome']) => idsOf(results, outcome).length;
  return {
    pass: count('pass'),
    fail: count('fail'),
    waived: count('waived'),
    notApplicable: count('not-applicable'),
    couldNotRun: count('could-not-run'),
    observed: count('observed'),
  };
}

/**
 * Returns the exit code: 0 if the service conforms; 1 if it does not, or if one of the user's own
 * rules failed; 3 if the run is incomplete.
 */
export function exitCodeOf({ verdict, own }: Pick<Report, 'verdict' | 'own'>): 0 | 1 | 3 {
  if (verdict === 'nonconforming' || own?.verdict === 'broken') return 1;
  return verdict === 'incomplete' || own?.verdict === 'incomplete' ? 3 : 0;
}

function idsOf(results: readonly RuleResult[], outcome: RuleResult['outcome']): readonly string[] {
  return results.filter((result) => result.outcome === outcome).map(({ id }) => id);
}

function sentences(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}

function list(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(', ');
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown;
}
