import type { Failure, Report, RuleResult } from '../model/report.ts';
import { createPaint, type Paint } from '../output/paint.ts';
import { printable } from '../output/printable.ts';
import { dissectFailure, limitedWords, observations } from './anatomy.ts';
import { groupByClause } from './by-clause.ts';
import { groupLeftOut, leftOutLine } from './left-out.ts';

const MAX_FAILURES_PER_RULE = 5;
const MAX_EXCERPT = 300;

/**
 * Returns the report for a terminal, what matters most at its end: every rule by
 * clause, what is observed, the failures with Expected, Actual and a curl line,
 * then the summary and the verdict.
 *
 * @param colour - Whether to colour it; the caller has asked NO_COLOR and the terminal.
 */
export function writeText(report: Report, colour = false): string {
  const paint = createPaint(colour);
  const failed = report.rules.filter(({ failures }) => failures.length > 0);
  const sections = [
    [`${paint.bold(`swapcheck ${report.version}`)}  ${printable(report.target)}`],
    groupByClause(report.rules).flatMap(({ clause, rules }) => [
      paint.bold(clause),
      ...rules.map((rule) => `  ${ruleLine(rule, paint)}`),
    ]),
    silenceLines(report, paint),
    failed.length === 0 ? [] : [paint.bold('Failures'), ...failureLines(failed, paint)],
    noteLines(report, paint),
    summaryLines(report, paint),
  ];
  const text = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${text.join('\n\n')}\n`;
}

function ruleLine(rule: RuleResult, paint: Paint): string {
  const name = `${rule.id}: ${printable(rule.title)}`;
  const why = rule.why === undefined ? '' : ` (${printable(rule.why, 300)})`;
  switch (rule.outcome) {
    case 'pass':
      return `${paint.green('✓')} ${paint.dim(`${name} (${rule.checks})`)}`;
    case 'fail':
      return `${paint.red('✗')} ${paint.red(`${name} [${rule.level}]`)}`;
    case 'waived':
      return `${paint.yellow('~')} ${name} [waived]${why}`;
    case 'could-not-run':
      return `${paint.yellow('!')} ${name} [could not run]${why}`;
    case 'observed':
      return `${paint.cyan('·')} ${paint.dim(name)}`;
    case 'not-applicable':
      return paint.dim(`- ${name} [not applicable]${why}`);
  }
}

function failureLines(failed: readonly RuleResult[], paint: Paint): string[] {
  return groupByClause(failed).flatMap(({ clause, words, rules }) => [
    '',
    `  ${paint.bold(clause)}${words === undefined ? '' : `  ${paint.dim(printable(words))}`}`,
    ...rules.flatMap((rule) => [
      `    ${rule.outcome === 'waived' ? '~' : paint.red('✗')} ${rule.id} [${rule.level}]: ${printable(rule.title)}`,
      ...rule.failures
        .slice(0, MAX_FAILURES_PER_RULE)
        .map((failure) => failureBlock(failure, paint))
        .join('\n\n')
        .split('\n'),
      ...(rule.failures.length > MAX_FAILURES_PER_RULE
        ? [`      and ${rule.failures.length - MAX_FAILURES_PER_RULE} more in the other reports`]
        : []),
    ]),
  ]);
}

function failureBlock(failure: Failure, paint: Paint): string {
  const parts = dissectFailure(failure, MAX_EXCERPT);
  return parts.map(([label, value]) => partLine(label, value, paint)).join('\n');
}

function partLine(label: string, value: string, paint: Paint): string {
  const colour = { Expected: paint.green, Actual: paint.red, Repeat: paint.cyan }[label];
  return `      ${label.padStart(8)}: ${colour?.(value) ?? value}`;
}

function silenceLines({ rules }: Report, paint: Paint): string[] {
  const seen = observations(rules);
  if (seen.length === 0) return [];
  return [
    paint.bold('What this service does where the specification is silent'),
    ...seen.map(
      ({ clause, title, observed }) =>
        `  ${clause}  ${printable(title)}: ${printable(observed ?? '', 160)}`,
    ),
  ];
}

function noteLines(report: Report, paint: Paint): string[] {
  const { largestDust: dust, leftOut = [], staleWaivers = [] } = report;
  return [
    ...staleWaivers.map(({ rule, why }) =>
      paint.red(`Stale waiver: ${printable(rule)}: ${printable(why)}`),
    ),
    ...groupLeftOut(leftOut).map((group) =>
      paint.yellow(`Left out: ${printable(leftOutLine(group))}`),
    ),
    ...(dust === undefined
      ? []
      : [
          `Largest dust: ${dust.baseUnits} base units of ${printable(dust.token)} ` +
            `(${dust.partsPerMillion} parts per million) in request ${dust.exchange}`,
        ]),
  ];
}

function summaryLines(report: Report, paint: Paint): string[] {
  const levels = (['must', 'should', 'observe'] as const).map((level) => {
    const { pass, fail, waived, notApplicable, couldNotRun, observed } = report.summary[level];
    const cells = [
      `${pass} passed`,
      fail > 0 ? paint.red(`${fail} failed`) : `${fail} failed`,
      `${waived} waived`,
      couldNotRun > 0 ? paint.yellow(`${couldNotRun} could not run`) : '0 could not run',
      `${notApplicable} not applicable`,
      `${observed} observed`,
    ];
    return `${level.padEnd(8)} ${cells.join(', ')}`;
  });
  const seconds = (report.durationMs / 1000).toFixed(1);
  const verdictPaint = {
    conforming: paint.green,
    nonconforming: paint.red,
    incomplete: paint.yellow,
  }[report.verdict];
  return [
    ...levels,
    `${report.requests} requests, ${report.replies} replies judged${limitedWords(report)} in ${seconds} s, seed ${report.seed}`,
    paint.bold(verdictPaint(`${report.verdict.toUpperCase()}: ${printable(report.reason)}`)),
  ];
}
