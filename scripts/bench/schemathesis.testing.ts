import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ENDPOINTS, PATHS } from '../../conformance/contract/paths.ts';
import { createSwapClient } from '../../conformance/library/client.ts';
import { startReference } from '../../reference/server/app.ts';
import { openApiDocument } from '../docs/openapi.ts';
import { MUTANTS } from '../tests/mutants/catalog.ts';
import { middlewareOf } from '../tests/mutants/faults/middleware.ts';
import type { Mutant } from '../tests/mutants/faults/mutant.ts';
import { catchMutant, QUICK_FIRST } from '../tests/mutants/mutant-matrix.testing.ts';

/*
 * npm run bench:schemathesis [-- N]: counts the mutants that Schemathesis finds from the OpenAPI
 * document, compared with those that swapcheck finds. Completes the document as its users would:
 * with the key, and with tokens and amounts that can be traded. Ignores findings that also occur
 * for the reference. N selects every N-th mutant (default 1, which takes an hour or two).
 */

const VERSION = '4.32.5';
const FOLDER = fileURLToPath(new URL('../../reports/schemathesis', import.meta.url));
const CHAIN = 31337;
const NATIVE = `0x${'0'.repeat(40)}`;
const MAX_RUN_MS = 120_000;
const run = promisify(execFile);

function findSchemathesis(): string {
  const named = process.env['SCHEMATHESIS_BIN'];
  if (named !== undefined) return named;
  const program = join(FOLDER, 'venv/bin/schemathesis');
  if (!existsSync(program)) {
    execFileSync('python3', ['-m', 'venv', join(FOLDER, 'venv')]);
    execFileSync(join(FOLDER, 'venv/bin/pip'), ['install', '-q', `schemathesis==${VERSION}`]);
  }
  return program;
}

async function writeTuned(baseUrl: string): Promise<string> {
  const client = createSwapClient({ baseUrl, apiKey: 'demo' });
  const tokens = await client.tokens({ chainId: CHAIN });
  await client.close();
  if (tokens.kind !== 'returned') throw new Error(`/tokens of the reference: ${tokens.kind}`);
  const addresses = tokens.body.slice(0, 6).map(({ address }) => address);
  const values: Readonly<Record<string, object>> = {
    chainId: { type: 'integer', enum: [CHAIN] },
    apiKey: { type: 'string', enum: ['demo'] },
    sellToken: { type: 'string', enum: [...addresses, NATIVE] },
    buyToken: { type: 'string', enum: addresses },
    userAddress: { type: 'string', enum: [`0x${'11'.repeat(20)}`] },
    recipientAddress: { type: 'string', enum: [`0x${'22'.repeat(20)}`] },
  };
  const amounts: Readonly<Record<string, object>> = {
    sellAmount: { examples: ['1000000000', '1000000000000000000'] },
    buyAmount: { examples: ['1000000', '1000000000'] },
  };
  const document = JSON.parse(JSON.stringify(openApiDocument()));
  for (const endpoint of ENDPOINTS) {
    for (const parameter of document.paths[PATHS[endpoint]].get.parameters) {
      parameter.schema = values[parameter.name] ?? {
        ...parameter.schema,
        ...amounts[parameter.name],
      };
    }
  }
  const path = join(FOLDER, 'openapi.json');
  writeFileSync(path, JSON.stringify(document));
  return path;
}

type Failure = { readonly title: string; readonly operations: readonly string[] };

async function findFailures(program: string, document: string, url: string): Promise<Set<string>> {
  const report = join(FOLDER, 'run.json');
  rmSync(report, { force: true });
  const options = ['--url', url, '--seed', '1', '--max-examples', '20', '--continue-on-failure'];
  const phases = ['--phases', 'examples,coverage,fuzzing', '--request-timeout', '5'];
  const files = ['--report', 'json', '--report-json-path', report];
  // Schemathesis also exits with 1 if it finds something. Only a missing report shows that it did
  // not run.
  const output = await run(program, ['run', document, ...options, ...phases, ...files], {
    timeout: MAX_RUN_MS,
    cwd: FOLDER,
  }).catch((error: { stdout: string; stderr: string }) => error);
  if (!existsSync(report))
    throw new Error(`${program} wrote no report:\n${output.stdout}${output.stderr}`);
  const { failures } = JSON.parse(readFileSync(report, 'utf8')) as { failures: readonly Failure[] };
  return new Set(
    failures.flatMap(({ title, operations }) => operations.map((each) => `${title} (${each})`)),
  );
}

async function testMutant(program: string, document: string, mutant?: Mutant) {
  const middleware = mutant === undefined ? [] : [middlewareOf(mutant)];
  const reference = await startReference({ middleware });
  try {
    return await findFailures(program, document, reference.url);
  } finally {
    void reference.close();
  }
}

const say = (text: string) => process.stdout.write(`${text}\n`);
mkdirSync(FOLDER, { recursive: true });
const [, , every = '1'] = process.argv;
const program = findSchemathesis();
const correct = await startReference();
const document = await writeTuned(correct.url);
await correct.close();
const known = await testMutant(program, document);
say(`Findings of the reference, not counted: ${[...known].join('; ') || 'nothing'}\n`);
const found = { swapcheck: 0, schemathesis: 0, all: 0 };
say('| mutant | rule | swapcheck | Schemathesis |\n| --- | --- | --- | --- |');
for (const mutant of MUTANTS.filter((_, index) => index % Number(every) === 0)) {
  const { isCaught } = await catchMutant(mutant, 1, QUICK_FIRST);
  const failures = await testMutant(program, document, mutant);
  const news = [...failures].filter((each) => !known.has(each));
  found.all += 1;
  if (isCaught) found.swapcheck += 1;
  if (news.length > 0) found.schemathesis += 1;
  const ours = isCaught ? 'found' : 'missed';
  say(`| ${mutant.id} | ${mutant.caughtBy} | ${ours} | ${news[0] ?? 'missed'} |`);
}
say(
  `\nOf ${found.all} mutants swapcheck found ${found.swapcheck}, Schemathesis ${VERSION} ${found.schemathesis}.`,
);
// A mutant that never replies keeps its server open.
process.exit();
