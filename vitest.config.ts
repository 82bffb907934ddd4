import { defineConfig } from 'vitest/config';

const FOLDERS = '{conformance,reference,load,study,scripts}';

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
