import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CATALOG } from './catalog.ts';
import { ruleWords, WORDS_HEADINGS } from './rule-words.ts';

const FOLDER = join(import.meta.dirname, 'words');

test('each rule -> has a reason; each asserting rule -> also the harm and the usual mistake', () => {
  const incomplete = CATALOG.filter((rule) => {
    const { why = '', harm = '', mistake = '' } = ruleWords(rule.id) ?? {};
    return why === '' || (rule.level === 'observe' ? harm !== '' : harm === '' || mistake === '');
  });
  expect(incomplete.map(({ id }) => id)).toEqual([]);
});

test('each heading -> names a rule of its section', () => {
  const ids = new Set(CATALOG.map(({ id }) => id));
  const headings = readdirSync(FOLDER).flatMap((file) =>
    [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/^## (.+)$/gm)].map(([, id]) => id ?? ''),
  );
  expect(headings.filter((id) => !ids.has(id))).toEqual([]);
  expect(headings.length).toBe(CATALOG.length);
});

test('headings below a rule -> only those of its page', () => {
  const texts = readdirSync(FOLDER).map((file) => readFileSync(join(FOLDER, file), 'utf8'));
  const headings = texts.flatMap((text) =>
    [...text.matchAll(/^### (.+)$/gm)].map(([, each]) => each),
  );
  expect(new Set(headings)).toEqual(new Set(Object.values(WORDS_HEADINGS)));
});

test('a custom rule -> no words', () => {
  expect(ruleWords('own/x')).toBeUndefined();
});
