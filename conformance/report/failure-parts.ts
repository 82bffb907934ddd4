import type { Failure } from '../model/report.ts';
import { printable } from '../output/printable.ts';

/** @example formatTimes(2) // '2 times' */
export function formatTimes(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/**
 * Returns the labeled parts of a failure, unescaped and in reading order. `count` is the number of
 * times that its root cause occurred.
 */
export function failureParts(
  failure: Failure,
  count = failure.count,
): readonly (readonly [label: string, value: string])[] {
  const { expected, actual, exchange, evidence, waiver, belongsTo, repeat } = failure;
  const status = exchange.status === undefined ? 'no reply' : `HTTP ${exchange.status}`;
  const parts: (readonly [string, string | undefined])[] = [
    ['Expected', expected],
    ['Actual', actual],
    ['Where', failure.pointer === '' ? 'the whole body' : failure.pointer],
    ['Seen', `${formatTimes(count)}, first in request ${failure.since}`],
    ...(repeat === undefined ? [] : [describeRepeat(repeat)]),
    ['Cause', belongsTo && describeOtherRequest(belongsTo)],
    ['Reply', `${status} after ${Math.round(exchange.durationMs)} ms: ${exchange.excerpt}`],
    ['Evidence', evidence],
    ['Waived', waiver && `until ${waiver.expires}: ${waiver.reason}`],
    ['Repeat', lineToRepeat(failure)],
  ];
  return parts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value]]));
}

type Repeat = NonNullable<Failure['repeat']>;

function describeRepeat(repeat: Repeat): readonly [string, string] {
  const { outcome, requests, sent, failed, unjudged } = repeat;
  if (requests === undefined) {
    const what = "when all of the rule's requests were sent again";
    return ['Again', outcome === 'fails' ? `failed ${what}` : `intermittent: passed ${what}`];
  }
  const others =
    unjudged && `${unjudged.replies} of ${sent} repeats could not be judged (${unjudged.reply})`;
  const results: Readonly<Record<Repeat['outcome'], string>> = {
    fails: 'fails again',
    'fails-after-another': 'passes; fails only after the request that the command sends first',
    intermittent: `intermittent: it failed again in ${failed} of ${sent} repeats${others ? `, and ${others}` : ''}`,
    'not-judged': `unclear: ${others}`,
  };
  return ['Alone', results[outcome]];
}

/** Names the request to which a reply belongs, and the parameters that the reply ignores. */
function describeOtherRequest({
  part,
  exchange,
  ignored,
}: NonNullable<Failure['belongsTo']>): string {
  const names = ignored.map((name) => `\`${name}\``).join(' and ');
  return `this is the ${part} of request ${exchange}, which differs only in ${names}: perhaps the key of a cache lacks it`;
}

function lineToRepeat({ curl, powerShell }: Failure): string {
  return (process.platform === 'win32' ? powerShell : undefined) ?? curl;
}

/**
 * Returns the parts of a failure as printable lines. Each value is cut at 1000 characters, except
 * the command line that repeats the request.
 */
export function formatFailure(failure: Failure): string {
  return failureParts(failure)
    .map(([label, value]) => {
      const max = label === 'Repeat' ? Number.POSITIVE_INFINITY : 1000;
      return `${label}: ${printable(value, max)}`;
    })
    .join('\n');
}
