import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    testTimeout: 60_000,
    include: ['conformance/{checks,rules}/*.test.ts'],
    // Slow, and of no use here: they kill nothing that the others leave alive.
    exclude: ['**/large-*.test.ts', '**/model-traffic.test.ts'],
  },
});
