import type { Failure, Report, RuleResult } from '../model/report.ts';
import { printable } from '../output/printable.ts';

/**
 * Returns the parts of a failure, in reading order; every value is one printable line.
 *
 * @param limit - Most characters kept of a value, 1000 unless told; the curl line is kept whole.
 */
export function dissectFailure(
  failure: Failure,
  limit = 1000,
): readonly (readonly [label: string, value: string])[] {
  const { exchange, replay, waiver } = failure;
  const status = exchange.status === undefined ? 'no reply' : `HTTP ${exchange.status}`;
  const seen = failure.count === 1 ? 'once' : `${failure.count} times`;
  const parts: (readonly [string, string | undefined])[] = [
    ['Expected', failure.expected],
    ['Actual', failure.actual],
    ['Where', failure.pointer === '' ? 'the whole body' : failure.pointer],
    ['Seen', `${seen}, first in request ${failure.since}`],
    ['Reply', `${status} after ${Math.round(exchange.durationMs)} ms: ${exchange.excerpt}`],
    ['Replay', replay && `seed ${replay.seed}, path ${replay.path}`],
    ['Waived', waiver && `until ${waiver.expires}: ${waiver.reason}`],
    ['Repeat', failure.curl],
  ];
  return parts.flatMap(([label, value]) =>
    value === undefined
      ? []
      : [[label, printable(value, label === 'Repeat' ? Number.POSITIVE_INFINITY : limit)]],
  );
}

/** Returns the rules that tell what the service did where the specification is silent, by clause. */
export function observations(rules: readonly RuleResult[]): readonly RuleResult[] {
  return rules.filter(({ level, observed }) => level === 'observe' && observed !== undefined);
}

/** Returns how often the service limited the rate, as the end of a list, or nothing. */
export function limitedWords({ rateLimited = 0 }: Report): string {
  return rateLimited === 0 ? '' : `, ${rateLimited} answered 429 and waited out`;
}

/** Returns how a rule's outcome is called in prose. */
export function outcomeWords(outcome: RuleResult['outcome']): string {
  return outcome.replaceAll('-', ' ');
}
