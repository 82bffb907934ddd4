import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PUBLISHED_SCHEMAS, schemaUrl } from './published-schemas.ts';

test.each(PUBLISHED_SCHEMAS)('%s -> what the types say', (file, schema) => {
  const published = JSON.parse(readFileSync(schemaUrl(file), 'utf8'));
  expect(published, 'npm run docs:schemas writes it again').toEqual(
    JSON.parse(JSON.stringify(schema)),
  );
});

test('the dictionary of the spelling check -> sorted, one word per line', () => {
  const words = readFileSync(new URL('words.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  expect(words).toEqual([...new Set(words)].sort());
});
