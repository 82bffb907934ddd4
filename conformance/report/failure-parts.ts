import type { Failure } from '../model/report.ts';
import { printable } from '../output/printable.ts';

/** Returns the parts of a failure by label, in reading order, as they were received. */
export function failureParts(
  failure: Failure,
): readonly (readonly [label: string, value: string])[] {
  const { expected, actual, exchange, evidence, replay, waiver } = failure;
  const status = exchange.status === undefined ? 'no reply' : `HTTP ${exchange.status}`;
  const seen = failure.count === 1 ? 'once' : `${failure.count} times`;
  const parts: (readonly [string, string | undefined])[] = [
    ['Expected', expected],
    ['Actual', actual],
    ['Where', failure.pointer === '' ? 'the whole body' : failure.pointer],
    ['Seen', `${seen}, first in request ${failure.since}`],
    ['Reply', `${status} after ${Math.round(exchange.durationMs)} ms: ${exchange.excerpt}`],
    ['Replay', replay && `seed ${replay.seed}, path ${replay.path}`],
    ['Evidence', evidence],
    ['Waived', waiver && `until ${waiver.expires}: ${waiver.reason}`],
    ['Repeat', failure.curl],
    ['In PowerShell', failure.powerShell],
  ];
  return parts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value]]));
}

/** Returns the parts of a failure as printable lines; all but the line to repeat it are cut at 1000 characters. */
export function failureText(failure: Failure): string {
  const most = (label: string) =>
    label === 'Repeat' || label === 'In PowerShell' ? Number.POSITIVE_INFINITY : 1000;
  return failureParts(failure)
    .map(([label, value]) => `${label}: ${printable(value, most(label))}`)
    .join('\n');
}
