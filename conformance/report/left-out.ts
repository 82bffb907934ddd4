import type { Report } from '../model/report.ts';

/** Rules left out for one reason. */
export type LeftOutGroup = { readonly why: string; readonly ids: readonly string[] };

/** Returns the rules that a run left out by reason, in the order they were first met. */
export function groupLeftOut(leftOut: Report['leftOut'] = []): LeftOutGroup[] {
  const byReason = new Map<string, string[]>();
  for (const { id, why } of leftOut) {
    const ids = byReason.get(why);
    if (ids === undefined) byReason.set(why, [id]);
    else ids.push(id);
  }
  return [...byReason].map(([why, ids]) => ({ why, ids }));
}

/**
 * Returns a group in a line: all its rules, or the first few and how many more.
 *
 * @example
 * leftOutLine({ why: 'not in --only', ids: ['a/b', 'c/d'] }) // '2 rules, not in --only: a/b, c/d'
 */
export function leftOutLine({ why, ids }: LeftOutGroup, most = 6): string {
  const shown = ids.slice(0, most).join(', ');
  const more = ids.length > most ? ` and ${ids.length - most} more` : '';
  return `${ids.length === 1 ? '1 rule' : `${ids.length} rules`}, ${why}: ${shown}${more}`;
}
