import { writeFileSync } from 'node:fs';
import { reportJsonSchema } from '../conformance/report/json.ts';
import { comparisonSchema, loadProfileSchema, loadResultSchema } from '../load/report/schemas.ts';
import { poolsFileSchema } from '../reference/market/live/pools-file.ts';
import { marketFileSchema } from '../reference/market/market-file.ts';

/* Publishes the JSON Schemas, for npm run format to lay out; tests hold the files to the types. */
for (const [file, schema] of Object.entries({
  'docs/report': reportJsonSchema(),
  'docs/load-profile': loadProfileSchema(),
  'docs/load-result': loadResultSchema(),
  'docs/comparison': comparisonSchema(),
  'fixtures/schemas/market': marketFileSchema,
  'fixtures/schemas/pools': poolsFileSchema,
})) {
  const text = `${JSON.stringify(schema, undefined, 2)}\n`;
  writeFileSync(new URL(`../${file}.schema.json`, import.meta.url), text);
}
