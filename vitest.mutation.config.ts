import { defineConfig } from 'vitest/config';

/**
 * Tests that `npm run test:mutation` runs against each mutant: tests of pure code, except slow
 * tests.
 */
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    include: ['conformance/{checks,rule-kit,rules}/**/*.test.ts'],
    exclude: ['**/large-*.test.ts', '**/model-traffic.test.ts'],
    testTimeout: 180_000,
  },
});
