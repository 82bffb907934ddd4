import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Words that cspell cannot flag, because they are only parts of names. */
const PLAINER: readonly (readonly [name: RegExp, alternative: string])[] = [
  [/\b(?:MOST|LEAST|FEWEST|LONGEST)_[A-Z]\w*/g, 'MAX_ or MIN_'],
  [/\btells?[A-Z]\w*/g, 'describe…, report… or format…'],
  [/\b(?:told|kept|remembered)[A-Z]\w*/g, 'reported…, cached… or shown…'],
  [/\b(?:asked|spelled|beside)[A-Z]\w*/g, 'requested…, formatted… or next to…'],
  [/\b(?:refuse[ds]?|refusals?)[A-Z]\w*/g, 'reject… or rejection…'],
  [/\bunless[A-Z]\w*/g, '…IfNot… or undefinedIf…'],
];

const FOLDERS = '{conformance,load,study,reference,scripts,examples,docs}';
const IGNORED = ['**/node_modules/**', '**/plain-names.test.ts', 'docs/.vitepress/{cache,dist}/**'];

test('names in code -> use the plainer words', () => {
  const files = globSync([`${FOLDERS}/**/*.{ts,mjs,cjs,js,vue}`], { cwd: ROOT, ignore: IGNORED });
  expect(files.length).toBeGreaterThan(500);
  const found = files.sort().flatMap((file) => {
    const text = readFileSync(`${ROOT}/${file}`, 'utf8');
    return PLAINER.flatMap(([name, alternative]) =>
      [...new Set(text.match(name))].map((word) => `${file}: ${word}: use ${alternative}`),
    );
  });
  expect(found).toEqual([]);
});
