import { defineConfig } from 'vitest/config';

const FOLDERS = '{conformance,reference,load,study,fixtures,scripts}';

// Remove keys and nodes that the shell has set for the program.
for (const name of Object.keys(process.env)) {
  if (/^SWAPCHECK_(API_KEY|BASE_URL|RPC_)/.test(name)) delete process.env[name];
}

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    // These timeouts end tests that hang. They are generous, because a busy machine is ten times
    // slower.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // A worker loads modules once for all of its files, so tests must restore what they change.
    isolate: false,
    // One more than the smallest machine has cores, since many files wait for other processes.
    maxWorkers: 3,
    projects: [
      {
        // `npm test`: needs only Node and npm.
        extends: true,
        test: {
          name: 'all',
          include: [`${FOLDERS}/**/*.test.ts`],
          exclude: ['**/*.{timed,external}.test.ts', '**/node_modules/**'],
          globalSetup: ['fixtures/testing/built-program.testing.ts'],
        },
      },
      {
        // `npm run test:long`: the files of `npm test` that can do more, with more cases.
        extends: true,
        test: {
          name: 'long',
          include: [`${FOLDERS}/**/*.long.test.ts`],
          env: { SWAPCHECK_LONG: '1' },
          globalSetup: ['fixtures/testing/built-program.testing.ts'],
          sequence: { groupOrder: 3 },
        },
      },
      {
        // `npm run test:external`: runs a browser, curl or Locust.
        extends: true,
        test: {
          name: 'external',
          include: [`${FOLDERS}/**/*.external.test.ts`],
          globalSetup: ['fixtures/testing/external-programs.testing.ts'],
          // Files run one at a time, because the timing of load engines is measured.
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // `npm run test:timed`: latencies are only meaningful when nothing else runs.
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
