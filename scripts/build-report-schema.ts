import { writeFileSync } from 'node:fs';
import { reportJsonSchema } from '../conformance/report/json.ts';

/* Publishes the JSON Schema of the JSON report; a test holds the file to the types. */
writeFileSync(
  new URL('../docs/report.schema.json', import.meta.url),
  `${JSON.stringify(reportJsonSchema(), undefined, 2)}\n`,
);
