import { firstOf } from '../contract/first-of.ts';
import type { Report, RuleResult } from '../model/report.ts';
import { type JunitCase, writeJunit } from '../output/junit.ts';
import { printable } from '../output/printable.ts';
import { formatFailure } from './failure-parts.ts';
import { explainCommand } from './rule-page.ts';
import {
  couldNotRunGroups,
  describeObserved,
  formatTarget,
  groupBySection,
  sectionName,
  verdictLine,
  withRules,
} from './rule-results.ts';

const MAX_FAILURES_PER_RULE = 20;

/**
 * Returns the report as JUnit XML, with a suite for each section of the specification and a case
 * for each rule. All names are safe for files. A failed rule has a `<failure>`. A rule that was
 * waived, observed, not applicable or could not run has a `<skipped>` with the reason. A separate
 * suite has one `<error>` for each reason why rules could not run, so that an unreachable service
 * causes one error instead of two hundred. `observe` rules never cause an error.
 */
export function write(report: Report): string {
  const { rules, startedAt, durationMs, staleWaivers = [], notJudged } = report;
  const suites = groupBySection(rules).map(([section, members]) => ({
    name: toFileName(sectionName(section)),
    startedAt,
    cases: members.map(caseOf),
  }));
  const waivers = staleWaivers.map(({ rule, why }) => ({
    className: 'swapcheck.waivers',
    name: toFileName(rule),
    outcome: { kind: 'failure', type: 'waiver', message: why } as const,
  }));
  const couldNotRun = couldNotRunGroups(rules.filter(({ level }) => level !== 'observe')).map(
    (group) => ({
      className: 'swapcheck.could-not-run',
      name: toFileName(group.why),
      outcome: { kind: 'error', type: 'could-not-run', message: withRules(group) } as const,
    }),
  );
  const unjudged = notJudged.map((entry) => ({
    className: 'swapcheck.not-judged',
    name: toFileName(entry.why),
    outcome: { kind: 'skipped', type: 'not-judged', message: withRules(entry) } as const,
  }));
  return writeJunit(
    `swapcheck ${printable(formatTarget(report))}: ${printable(verdictLine(report))}`,
    [
      ...suites,
      ...(waivers.length > 0 ? [{ name: 'waivers', startedAt, cases: waivers }] : []),
      ...(couldNotRun.length > 0 ? [{ name: 'could-not-run', startedAt, cases: couldNotRun }] : []),
      ...(unjudged.length > 0 ? [{ name: 'not-judged', startedAt, cases: unjudged }] : []),
    ],
    durationMs / 1000,
  );
}

function caseOf(rule: RuleResult): JunitCase {
  const outcome = outcomeOf(rule);
  return {
    className: `swapcheck.${toFileName(rule.clause)}`,
    name: toFileName(rule.id),
    timeS: (rule.durationMs ?? 0) / 1000,
    about: `${printable(rule.title)} [${rule.level} of ${rule.clause}]`,
    ...(outcome && { outcome }),
  };
}

function outcomeOf(rule: RuleResult): JunitCase['outcome'] {
  const { title, level, outcome, failures } = rule;
  const why = rule.why ?? describeObserved(rule) ?? outcome;
  switch (outcome) {
    case 'pass':
      return undefined;
    case 'fail': {
      const [first] = failures;
      const words =
        first === undefined ? title : `${title}: expected ${first.expected}, got ${first.actual}`;
      return { kind: 'failure', type: level, message: words, text: failureLog(rule) };
    }
    case 'waived':
      return { kind: 'skipped', type: outcome, message: 'waived', text: failureLog(rule) };
    case 'could-not-run':
    case 'observed':
    case 'not-applicable':
      return { kind: 'skipped', type: outcome, message: why };
  }
}

function failureLog(rule: RuleResult): string {
  const { clause, clauseWords, title, failures } = rule;
  const command = explainCommand(rule);
  return [
    `${clause}: ${clauseWords ?? title}`,
    ...firstOf(failures.map(formatFailure), MAX_FAILURES_PER_RULE, (more) => `and ${more} more`),
    ...(command === undefined ? [] : [`More: ${command}`]),
  ].join('\n\n');
}

/** Some tools that read JUnit XML use these names as file names. */
function toFileName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]+/g, '-');
}
