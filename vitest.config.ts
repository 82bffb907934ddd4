import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FOLDERS = '{conformance,reference,load,study,scripts}';

/** Files that take longest, the longest first: a worker that began with one at the end would be waited for. */
const LONGEST = [
  'scripts/tests/mutant-settlement',
  'measure/planted-truths',
  'scripts/tests/second-service',
  'scripts/tests/mutant-matrix',
  'commands/hostile-services',
  'scripts/tests/reference-conformance',
  'commands/load-command',
  'commands/study-command',
  'scripts/tests/mutant-seeds',
  'execution/odd-tokens',
  'live/faulty-node',
  'execution/anvil',
  'runner/echoed-keys',
  'scripts/tests/swapcheck',
  'scripts/tests/forms',
  'execution/odd-markets',
  'run/timeline',
  'scripts/build/build-fixtures',
  'scripts/docs/documented-commands',
  'contracts/settlement',
  'compare/compare',
  'server/serve',
  'execution/settle-reference',
  'pools/singleton-chain',
  'scripts/tests/action',
  'encoding/universal-router',
  'run/measure',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`${name}.test.ts`));
      return place < 0 ? LONGEST.length : place;
    };
    return sorted.sort((a, b) => placeOf(a) - placeOf(b));
  }
}

// Keys and nodes that a shell has set for the program are not those of its tests.
for (const name of Object.keys(process.env)) {
  if (/^SWAPCHECK_(API_KEY|BASE_URL|RPC_)/.test(name)) delete process.env[name];
}

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    // They end what hangs, and tell nothing of speed: a busy machine is ten times as slow.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // A worker loads what is tested once for all of its files: tests put back what they change.
    isolate: false,
    // One more than the cores of the smallest machine: many files wait for other processes.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // `npm test`: Node and npm are all that they need.
        extends: true,
        test: {
          name: 'all',
          include: [`${FOLDERS}/**/*.test.ts`],
          exclude: ['**/*.{timed,external}.test.ts', '**/node_modules/**'],
          globalSetup: ['scripts/tests/helpers/built-program.testing.ts'],
        },
      },
      {
        // `npm run test:external`: they run a browser, curl or Locust.
        extends: true,
        test: {
          name: 'external',
          include: [`${FOLDERS}/**/*.external.test.ts`],
          globalSetup: ['scripts/tests/helpers/external-programs.testing.ts'],
          // Engines that are timed against theory share the machine with no other file.
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // `npm run test:timed`: latencies are only what they are when nothing else runs.
        extends: true,
        test: {
          name: 'timed',
          include: [`${FOLDERS}/**/*.timed.test.ts`],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
