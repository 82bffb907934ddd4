import { writeFileSync } from 'node:fs';
import { PUBLISHED_SCHEMAS, schemaUrl } from './published-schemas.ts';

/* Publishes the JSON Schemas, for npm run format to lay out; a test holds the files to the types. */
for (const [file, schema] of PUBLISHED_SCHEMAS) {
  writeFileSync(schemaUrl(file), `${JSON.stringify(schema, undefined, 2)}\n`);
}
