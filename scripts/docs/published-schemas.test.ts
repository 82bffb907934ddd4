import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PUBLISHED_SCHEMAS, schemaUrl } from './published-schemas.ts';

test.each(PUBLISHED_SCHEMAS)('%s -> what the types say', (file, schema) => {
  const published = JSON.parse(readFileSync(schemaUrl(file), 'utf8'));
  expect(published, 'npm run docs:schemas writes it anew').toEqual(
    JSON.parse(JSON.stringify(schema)),
  );
});
