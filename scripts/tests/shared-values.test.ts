import { build } from 'esbuild';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';

/**
 * A library for JSON Schemas, which the build bundles into one module. The library is not a value
 * of the judge.
 */
const LIBRARY = 'conformance/contract/schema.ts';

// dependency-cruiser cannot distinguish types from values. esbuild can, because it drops imports of
// types.
test('reference/ -> imports no value from the judge, because each side declares its own', async () => {
  const { metafile } = await build({
    entryPoints: globSync('reference/**/*.ts', { ignore: '**/*.{test,testing}.ts' }),
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outdir: 'unwritten',
  });
  const files = Object.entries(metafile.inputs);
  expect(files.length).toBeGreaterThan(50);
  const importing = files
    .filter(([file]) => file.startsWith('reference/'))
    .filter(([, { imports }]) =>
      imports.some(({ path }) => path.startsWith('conformance/') && path !== LIBRARY),
    )
    .map(([file]) => file);
  expect(importing).toEqual([]);
});
