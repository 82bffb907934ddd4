import { createPaint } from '../../conformance/report/paint.ts';
import { printable } from '../../conformance/report/printable.ts';
import { showMs, showShare } from '../report/words.ts';
import type { Change } from './compare-load.ts';

/** Returns a comparison of load for a terminal: every figure with its change, the failing ones last. */
export function writeChanges(
  changes: readonly Change[],
  failing: readonly Change[],
  colour = false,
): string {
  const paint = createPaint(colour);
  const tint = {
    regression: paint.red,
    improvement: paint.green,
    noise: paint.dim,
    unclear: paint.dim,
  };
  const width = Math.max(8, ...changes.map(({ endpoint }) => endpoint.length));
  const rows = changes.map((each) => {
    const { endpoint, metric, verdict } = each;
    const [base, head] = [show(metric, each.base), show(metric, each.head)];
    const cells = [
      printable(endpoint).padEnd(width),
      metric.padEnd(6),
      base.padStart(9),
      head.padStart(9),
      signed(each.change).padStart(10),
      `[${each.interval.map(signed).join(', ')}]`.padStart(24),
    ];
    return `${cells.join('  ')}  ${tint[verdict](verdict)}`;
  });
  const head = [
    'endpoint'.padEnd(width),
    'figure',
    'base'.padStart(9),
    'head'.padStart(9),
    'change'.padStart(10),
    '95 % interval'.padStart(24),
  ].join('  ');
  const count = (verdict: Change['verdict']): number =>
    changes.filter((each) => each.verdict === verdict).length;
  const total = `${count('regression')} regressions, ${count('improvement')} improvements, ${count('noise')} within noise, ${count('unclear')} unclear`;
  const verdict =
    failing.length === 0
      ? paint.green('no regression beyond the bounds')
      : paint.red(
          `beyond the bounds: ${failing.map((each) => `${each.metric} of ${printable(each.endpoint)} ${signed(each.change)}`).join(', ')}`,
        );
  return `${[paint.bold(head), ...rows, '', total, paint.bold(verdict)].join('\n')}\n`;
}

function show(metric: Change['metric'], value: number): string {
  return metric === 'errors' ? showShare(value) : `${showMs(value)} ms`;
}

function signed(share: number): string {
  if (!Number.isFinite(share)) return 'any';
  return `${share < 0 ? '-' : '+'}${(Math.abs(share) * 100).toFixed(1)} %`;
}
