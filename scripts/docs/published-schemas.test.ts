import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PUBLISHED_SCHEMAS, schemaUrl } from './published-schemas.ts';

test.each(PUBLISHED_SCHEMAS)('%s -> matches the types', (file, schema) => {
  const published = JSON.parse(readFileSync(schemaUrl(file), 'utf8'));
  expect(published, 'out of date: run npm run docs:schemas').toEqual(
    JSON.parse(JSON.stringify(schema)),
  );
});

test('the dictionary of the spelling check -> sorted, one word per line', () => {
  const words = readFileSync(new URL('words.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  expect(words).toEqual([...new Set(words)].sort());
});
