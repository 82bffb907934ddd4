import { escapeText, markupTable } from '../../conformance/output/markdown.ts';
import { countChanges, showChange, showSide } from './change-words.ts';
import type { LoadComparison } from './comparison.ts';

/** Returns a comparison of load as GitHub-flavoured Markdown, for a job summary: what changed first, the rest folded. */
export function writeLoadComparisonMarkdown(comparison: LoadComparison): string {
  const { base, head, changes, differences, verdict, reason } = comparison;
  const sign = { passed: '✅', failed: '❌', incomplete: '⚠️' }[verdict];
  const isClear = ({ verdict }: (typeof changes)[number]): boolean =>
    verdict === 'regression' || verdict === 'improvement';
  const clear = changes.filter(isClear);
  const others = changes.filter((change) => !isClear(change));
  const blocks = [
    `## ${sign} Load compared: ${verdict}`,
    escapeText(reason),
    markupTable(
      ['', 'Run'],
      [
        ['base', escapeText(showSide(base))],
        ['head', escapeText(showSide(head))],
      ],
    ),
    differences.map((each) => `- ⚠️ ${escapeText(each)}`).join('\n'),
    clear.length === 0 ? '' : changeTable(clear),
    others.length === 0
      ? ''
      : `<details><summary>${others.length} figures within noise or unclear</summary>\n\n${changeTable(others)}\n\n</details>`,
    `${countChanges(comparison)}.`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function changeTable(changes: LoadComparison['changes']): string {
  return markupTable(
    ['', 'Endpoint', 'Figure', 'Base', 'Head', 'Change', '95 % interval', ''],
    changes.map((each) => {
      const shown = showChange(each);
      return [
        each.isBeyondBound ? '❌' : '',
        escapeText(each.endpoint),
        each.metric,
        ...[shown.base, shown.head, shown.change, shown.interval].map((text) => escapeText(text)),
        each.verdict,
      ];
    }),
  );
}
