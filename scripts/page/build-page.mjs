import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/*
 * Writes the script of the page at `/`, with all that it needs in one file, into
 * the folder that is named.
 */
const { argv } = process;
await build({
  entryPoints: [fileURLToPath(new URL('browser/main.ts', import.meta.url))],
  outfile: join(argv[2] ?? 'dist', 'page/page.js'),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'eof',
  // Schemas are made where they are declared; the page reads none.
  pure: ['Object', 'Array', 'String', 'Number', 'Integer', 'Optional'].map(
    (kind) => `Type.${kind}`,
  ),
  logLevel: 'warning',
});
