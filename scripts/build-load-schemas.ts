import { writeFileSync } from 'node:fs';
import { comparisonSchema, loadProfileSchema, loadResultSchema } from '../load/report/schemas.ts';

/* Publishes the JSON Schemas of load profiles, load results and comparisons; a test holds the files to the types. */
for (const [name, schema] of [
  ['load-profile', loadProfileSchema()],
  ['load-result', loadResultSchema()],
  ['comparison', comparisonSchema()],
] as const) {
  writeFileSync(
    new URL(`../docs/${name}.schema.json`, import.meta.url),
    `${JSON.stringify(schema, undefined, 2)}\n`,
  );
}
