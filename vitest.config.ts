import { defineConfig } from 'vitest/config';

const FOLDERS = '{conformance,reference,load,scripts}';

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: [`${FOLDERS}/**/*.test.ts`],
          exclude: ['**/*.timed.test.ts', '**/node_modules/**'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Latencies are only what they are when nothing else runs: these files come last, one by one.
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
