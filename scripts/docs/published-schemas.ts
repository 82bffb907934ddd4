import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createTestCommand } from '../../conformance/commands/test-command.ts';
import { ChainStateSchema } from '../../conformance/model/chain-state.ts';
import { SettlementEvidenceSchema } from '../../conformance/model/evidence.ts';
import { ReportSchema } from '../../conformance/model/report.ts';
import { ReportComparisonSchema } from '../../conformance/report/compare.ts';
import { WaiversSchema } from '../../conformance/runner/waivers.ts';
import { configSchemaOf } from '../../conformance/service/config-file.ts';
import { LoadComparisonSchema } from '../../load/compare/comparison.ts';
import { LoadResultSchema } from '../../load/model/load-result.ts';
import { ProfileSchema } from '../../load/model/profile.ts';
import { poolsFileSchema } from '../../reference/market/live/pools-file.ts';
import { marketFileSchema } from '../../reference/market/market-file.ts';
import { StudyReportSchema } from '../../study/model/study-report.ts';

const noSubject = () => Promise.reject(new Error('only the options are used'));
const configSchema = configSchemaOf(createTestCommand(noSubject));

const FILE_SCHEMAS: readonly (readonly [name: string, title: string, schema: object])[] = [
  ['report', 'A swapcheck conformance report', ReportSchema],
  ['report-comparison', 'A comparison of swapcheck conformance reports', ReportComparisonSchema],
  ['evidence', 'A failed settlement', SettlementEvidenceSchema],
  ['chain-state', 'The state of a chain that settlements read', ChainStateSchema],
  ['load-profile', 'A swapcheck load profile', ProfileSchema],
  ['load-result', 'A swapcheck load result', LoadResultSchema],
  ['comparison', 'A comparison of swapcheck load results', LoadComparisonSchema],
  ['study', 'A swapcheck study', StudyReportSchema],
  ['config', 'A file for swapcheck test --config', configSchema],
  ['waivers', 'A file for swapcheck --waivers', WaiversSchema],
];
const $schema = 'https://json-schema.org/draft/2020-12/schema';

/** The published JSON Schemas (2020-12), each with its file. */
export const PUBLISHED_SCHEMAS: readonly (readonly [file: string, schema: object])[] = [
  ...FILE_SCHEMAS.map(
    ([name, title, schema]) =>
      [
        `docs/${name}.schema.json`,
        { $schema, $id: `urn:swapcheck:${name}`, title, ...schema },
      ] as const,
  ),
  ['fixtures/schemas/market.schema.json', marketFileSchema],
  ['fixtures/schemas/pools.schema.json', poolsFileSchema],
];

/** Returns the location of a published schema. */
export function schemaUrl(file: string): URL {
  return new URL(`../../${file}`, import.meta.url);
}

// `npm run docs:schemas` formats the files afterward.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, schema] of PUBLISHED_SCHEMAS) {
    writeFileSync(schemaUrl(file), `${JSON.stringify(schema, undefined, 2)}\n`);
  }
}
