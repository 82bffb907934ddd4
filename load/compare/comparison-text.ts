import { createPaint } from '../../conformance/output/paint.ts';
import { printable } from '../../conformance/output/printable.ts';
import { countChanges, showChange, showSide } from './change-words.ts';
import type { LoadComparison } from './comparison.ts';

/** Returns a comparison of load for a terminal: the two runs, every figure with its change, the verdict. */
export function writeLoadComparisonText(comparison: LoadComparison, colour = false): string {
  const { base, head, changes, differences, verdict, reason } = comparison;
  const paint = createPaint(colour);
  const tint = {
    regression: paint.red,
    improvement: paint.green,
    noise: paint.dim,
    unclear: paint.dim,
  };
  const width = Math.max(8, ...changes.map(({ endpoint }) => endpoint.length));
  const row = (cells: readonly [string, string, string, string, string, string]): string => {
    const [endpoint, metric, ...numbers] = cells;
    const widths = [9, 9, 11, 26];
    return [
      printable(endpoint).padEnd(width),
      metric.padEnd(6),
      ...numbers.map((number, at) => number.padStart(widths[at] ?? 0)),
    ].join('  ');
  };
  const rows = changes.map((each) => {
    const shown = showChange(each);
    const { endpoint, metric } = each;
    const cells = row([endpoint, metric, shown.base, shown.head, shown.change, shown.interval]);
    return `${cells}  ${tint[each.verdict](each.verdict)}`;
  });
  const colours = { passed: paint.green, failed: paint.red, incomplete: paint.yellow };
  const sections = [
    [`base  ${printable(showSide(base))}`, `head  ${printable(showSide(head))}`],
    differences.map((each) => paint.yellow(`! ${printable(each, 300)}`)),
    rows.length === 0
      ? []
      : [
          paint.bold(row(['endpoint', 'figure', 'base', 'head', 'change', '95 % interval'])),
          ...rows,
        ],
    [
      countChanges(comparison),
      paint.bold(colours[verdict](`${verdict.toUpperCase()}: ${printable(reason, 500)}`)),
    ],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}
