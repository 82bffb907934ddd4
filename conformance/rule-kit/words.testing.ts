import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import type { ReplyVerdict, Rule } from '../model/rule.ts';
import { statementText } from '../model/statement-text.ts';

/** What a rule says of something: `what it expected | what it found`, or why it does not judge. */
export type Said = readonly [id: string, text: string];

const RULES = join(import.meta.dirname, '../rules');

/**
 * Defines a test that the rules of a file say on their table what the golden
 * report has of them: each thing that they expect once, with what they first
 * found instead, after the rules that say it.
 */
export function testWords(
  usualKind: string,
  say: () => readonly Said[] | Promise<readonly Said[]>,
) {
  test('what they say -> the golden report', async () => {
    const known = new Set<string>();
    const words = new Map<string, readonly string[]>();
    for (const [id, text] of await say()) {
      const expected = `${id}: ${text.split(' | ')[0]}`;
      if (!known.has(expected)) words.set(text, [...(words.get(text) ?? []), id]);
      known.add(expected);
    }
    const lines = [...words].map(([text, ids]) => `${ids.join(' ')}: ${text}\n`);
    const path = relative(RULES, expect.getState().testPath ?? '').replace('.test.ts', '');
    const [section, kind = usualKind] = path.split('/');
    const file = join(RULES, 'golden-report', `${section}-${kind}.txt`);
    await expect(lines.sort().join('')).toMatchFileSnapshot(file);
  });
}

/** Returns what a rule found. */
export function wordsOf(
  { id }: Rule,
  verdict: Pick<ReplyVerdict, 'findings'> | undefined,
): readonly Said[] {
  return (verdict?.findings ?? []).map(({ expected, actual }) => [
    id,
    `${statementText(expected)} | ${statementText(actual)}`,
  ]);
}
