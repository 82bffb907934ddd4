import { counted } from '../contract/counted.ts';
import { firstOf } from '../contract/first-of.ts';
import { describeNotJudged } from '../model/not-judged.ts';
import type { Report } from '../model/report.ts';
import { printable, printableLines } from '../output/printable.ts';
import { causeTitle, type RootCause, rootCausesOf } from './root-causes.ts';
import { reasonOf, verdictLabel } from './rule-results.ts';

/** Maximum number of annotations of one kind that GitHub shows for a step. */
const MAX_ANNOTATIONS = 10;

/**
 * Returns the root causes as workflow commands, which GitHub shows at the top of a run. Causes that
 * break a `must` rule are errors. Causes that break only `should` rules are warnings. The verdict
 * is a notice, or an error if the run is incomplete.
 *
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function write(report: Report): string {
  const { rules, verdict, notJudged } = report;
  const causes = rootCausesOf(rules).filter(({ isWaived }) => !isWaived);
  const lines = (['must', 'should'] as const).flatMap((level) => {
    const kind = level === 'must' ? 'error' : 'warning';
    const ofLevel = causes.filter((cause) => cause.rules[0]?.level === level);
    return firstOf(
      ofLevel.map((cause) => annotation(kind, cause)),
      MAX_ANNOTATIONS,
      (more) => command('notice', level, `and ${counted(more, 'more failure')} of ${level} rules`),
    );
  });
  const kind = verdict === 'incomplete' ? 'error' : 'notice';
  const last = command(kind, verdictLabel(report), reasonOf(report));
  const unjudged = notJudged
    .slice(0, MAX_ANNOTATIONS - 1)
    .map((entry) => command('notice', 'not judged', describeNotJudged(entry)));
  return [...lines, last, ...unjudged].map((line) => `${line}\n`).join('');
}

function annotation(kind: 'error' | 'warning', cause: RootCause): string {
  const { rules, example } = cause;
  const [first] = rules;
  const title = rules.length > 1 ? causeTitle(cause) : `${first?.id} (${first?.clause})`;
  const what = rules.length > 1 ? rules.map(({ id }) => id).join(', ') : first?.title;
  return command(kind, title, `${what}\nExpected: ${example.expected}\nActual: ${example.actual}`);
}

function command(kind: 'error' | 'warning' | 'notice', title: string, text: string): string {
  const name = escapeData(printable(title)).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${kind} title=${name}::${escapeData(printableLines(text))}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
