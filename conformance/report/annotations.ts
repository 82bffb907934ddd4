import { notJudgedWords } from '../model/not-judged.ts';
import type { Report } from '../model/report.ts';
import { printable, printableLines } from '../output/printable.ts';

/** GitHub shows ten of a kind for a step. */
const MOST = 10;

/**
 * Returns the failed rules as workflow commands, which GitHub shows at the top
 * of a run: an error for each that counts, a warning for other `should` rules.
 *
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function write({ rules, verdict, reason, notJudged }: Report): string {
  const failed = rules.filter(({ outcome, level }) => outcome === 'fail' && level !== 'observe');
  const lines = (['must', 'should'] as const).flatMap((level) => {
    const kind = level === 'must' ? 'error' : 'warning';
    const ofLevel = failed.filter((rule) => rule.level === level);
    const more = ofLevel.length - MOST;
    return [
      ...ofLevel.slice(0, MOST).map(({ id, clause, title, failures: [first] }) => {
        const what = `${title}\nExpected: ${first?.expected ?? ''}\nActual: ${first?.actual ?? ''}`;
        return command(kind, `${id} (${clause})`, what);
      }),
      ...(more > 0 ? [command('notice', level, `and ${more} more failed ${level} rules`)] : []),
    ];
  });
  const last = verdict === 'incomplete' ? [command('error', 'incomplete', reason)] : [];
  const unjudged = notJudged.map((entry) => command('notice', 'not judged', notJudgedWords(entry)));
  return [...lines, ...last, ...unjudged.slice(0, MOST)].map((line) => `${line}\n`).join('');
}

function command(kind: 'error' | 'warning' | 'notice', title: string, text: string): string {
  const name = escapeData(printable(title)).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${kind} title=${name}::${escapeData(printableLines(text))}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
