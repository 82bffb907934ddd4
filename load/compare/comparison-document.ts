import {
  type Block,
  type Document,
  type Item,
  type Line,
  listOf,
  type Part,
  tableOf,
} from '../../conformance/output/document.ts';
import { formatMs, formatShare } from '../../conformance/output/units.ts';
import { formatShift, type LoadComparison } from './comparison.ts';
import type { Comparison } from './formats.ts';

type ChangeResult = LoadComparison['changes'][number];

export function reportable(comparison: LoadComparison): Comparison {
  const { verdict, reason } = comparison;
  return { verdict, reason, data: comparison, document: loadComparisonDocument(comparison) };
}

/**
 * Returns a comparison of load results as a document: the verdict, both runs, and the metrics.
 * Metrics with changes come first.
 */
export function loadComparisonDocument(comparison: LoadComparison): Document {
  const { base, head, changes, differences, verdict, reason } = comparison;
  const tint = ({ passed: 'good', failed: 'bad', incomplete: 'warn' } as const)[verdict];
  const sides: readonly Part[] = [
    ['Base', describeSide(base)],
    ['Head', describeSide(head)],
  ];
  return [
    { blocks: [{ kind: 'verdict', subject: 'Load compared', verdict, tint, reason }] },
    { blocks: [{ kind: 'line', line: countChanges(changes) }] },
    { blocks: [{ kind: 'parts', parts: sides }] },
    { blocks: listOf(differences.map(differenceItem)) },
    { title: 'Metrics', blocks: changeTable(changes) },
  ];
}

function differenceItem(text: string): Item {
  return { line: [{ mark: 'warning' }, ' ', { text, tint: 'warn' }] };
}

function countChanges(changes: readonly ChangeResult[]): string {
  const count = (verdict: ChangeResult['verdict']): number =>
    changes.filter((each) => each.verdict === verdict).length;
  return `${count('regression')} regressions, ${count('improvement')} improvements, ${count('noise')} within noise, ${count('unclear')} unclear`;
}

function describeSide({ target, run }: LoadComparison['base']): string {
  if (run === undefined) return `${target}, never load-tested`;
  const { profile, seed, requests, verdict, startedAt } = run;
  return `${target}, ${profile}, seed ${seed}, ${requests} requests, ${verdict}, ${startedAt}`;
}

function changeTable(changes: readonly ChangeResult[]): Block[] {
  return tableOf(
    ['', 'Endpoint', 'Metric', 'Base', 'Head', 'Change', '95% interval', ''],
    changes.map(changeCells),
  );
}

const TINTS = { regression: 'bad', improvement: 'good', noise: 'dim', unclear: 'dim' } as const;

function changeCells(result: ChangeResult): Line[] {
  const { endpoint, metric, base, head, change, interval, verdict, isBeyondBound } = result;
  const show = metric === 'errors' ? formatShare : (value: number) => `${formatMs(value)} ms`;
  const ends = interval.map((each) => formatShift({ metric, change: each }));
  return [
    isBeyondBound ? { mark: 'failed' } : '',
    endpoint,
    metric,
    show(base),
    show(head),
    formatShift({ metric, change }),
    `[${ends.join(', ')}]`,
    { text: verdict, tint: TINTS[verdict] },
  ];
}
