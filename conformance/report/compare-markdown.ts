import { escapeText, markupTable } from '../output/markdown.ts';
import { outcomeWords } from './anatomy.ts';
import type { ReportComparison, RuleChange } from './compare.ts';
import { countsOf } from './compare-text.ts';

/** Returns a comparison as GitHub-flavoured Markdown, for a job summary: newly failing rules first. */
export function writeComparisonMarkdown(comparison: ReportComparison): string {
  const { newlyFailing, newlyPassing, otherwiseChanged, changedObservations } = comparison;
  const sign = newlyFailing.length > 0 ? '❌' : '✅';
  const blocks = [
    `## ${sign} swapcheck compared: ${countsOf(comparison)}`,
    section('Newly failing', changeTable(newlyFailing)),
    section('Newly passing', changeTable(newlyPassing)),
    section('Otherwise changed', changeTable(otherwiseChanged)),
    section(
      'Changed where the specification is silent',
      escapedTable(
        ['Clause', 'Question', 'Before', 'After'],
        changedObservations.map(({ clause, title, before, after }) => [
          clause,
          title,
          before ?? 'nothing',
          after ?? 'nothing',
        ]),
      ),
    ),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function section(title: string, table: string): string {
  return table === '' ? '' : `### ${title}\n\n${table}`;
}

function changeTable(changes: readonly RuleChange[]): string {
  return escapedTable(
    ['Clause', 'Rule', 'Level', 'Before', 'After', 'Actual'],
    changes.map(({ clause, id, level, before, after, actual }) => [
      clause,
      id,
      level,
      before === undefined ? 'absent' : outcomeWords(before),
      after === undefined ? 'absent' : outcomeWords(after),
      actual ?? '',
    ]),
  );
}

function escapedTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  return markupTable(
    head,
    rows.map((cells) => cells.map((text) => escapeText(text, 300))),
  );
}
