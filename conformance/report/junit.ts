import { createRequire } from 'node:module';
import type { Builder, TestSuite } from 'junit-report-builder';
import type { Report, RuleResult } from '../model/report.ts';
import { printable } from '../output/printable.ts';
import { failureText } from './failure-parts.ts';
import { groupByClause } from './rule-results.ts';

// The package is CommonJS and exports the builder itself, which its types call `default`.
const junit: Builder = createRequire(import.meta.url)('junit-report-builder');

const MAX_FAILURES_PER_RULE = 20;

/**
 * Returns the report as JUnit XML: a suite a clause, a case a rule. Names are
 * file-safe. A failed rule carries `<failure>`, a `must` or `should` that could
 * not run `<error>`, and what was waived, observed or not applicable `<skipped>`
 * with the reason in `<system-out>`.
 */
export function write(report: Report): string {
  const builder = junit.newBuilder().name(`swapcheck ${printable(report.target)}`);
  for (const { clause, rules } of groupByClause(report.rules)) {
    const suite = builder.testSuite().name(fileSafe(clause)).timestamp(report.startedAt);
    for (const rule of rules) addCase(suite, rule);
  }
  addStaleWaivers(builder, report);
  return builder.build();
}

function addCase(suite: TestSuite, rule: RuleResult): void {
  const testCase = suite
    .testCase()
    .className(`swapcheck.${fileSafe(rule.clause)}`)
    .name(fileSafe(rule.id))
    .property('title', printable(rule.title))
    .property('clause', rule.clause)
    .property('level', rule.level);
  const why = printable(rule.why ?? rule.observed ?? rule.outcome);
  switch (rule.outcome) {
    case 'pass':
      return;
    case 'fail': {
      const first = rule.failures[0];
      const message = first === undefined ? rule.title : `${first.expected}; was ${first.actual}`;
      testCase
        .failure(printable(message, 500), rule.level)
        .stacktrace(insideCdata(failureLog(rule)));
      return;
    }
    case 'could-not-run':
      testCase.error(why, 'could-not-run');
      return;
    case 'waived':
      testCase.skipped().standardOutput(insideCdata(`waived\n${failureLog(rule)}`));
      return;
    case 'observed':
    case 'not-applicable':
      testCase.skipped().standardOutput(insideCdata(why));
      return;
  }
}

function failureLog(rule: RuleResult): string {
  const shown = rule.failures.slice(0, MAX_FAILURES_PER_RULE);
  const left = rule.failures.length - shown.length;
  const blocks = shown.map(failureText);
  if (left > 0) blocks.push(`and ${left} more`);
  return [`${rule.clause}: ${printable(rule.clauseWords ?? rule.title)}`, ...blocks].join('\n\n');
}

function addStaleWaivers(builder: Builder, report: Report): void {
  for (const { rule, why } of report.staleWaivers ?? []) {
    const testCase = builder.testSuite().name('waivers').testCase();
    testCase.className('swapcheck.waivers').name(fileSafe(rule)).failure(printable(why), 'waiver');
  }
}

/** The XML builder ends a CDATA section at the second `]]>` of a text, so none is left. */
function insideCdata(text: string): string {
  return text.replaceAll(']]>', ']]\\u{3e}');
}

/** Letters, digits, dot, dash and underscore: some readers make file names of these. */
function fileSafe(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]+/g, '-');
}
