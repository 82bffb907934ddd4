import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/*
 * Bundles the script of the page at `/`, and the module that builds schemas, into dist/ or the
 * given folder. Each bundle contains its packages and their licenses. Runs after the compiler.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = resolve(process.argv[2] ?? join(root, 'dist'));

await bundle('scripts/cli/browser/page-script.ts', 'page/page.js', {
  target: 'es2022',
  // Calls that declare schemas have no side effects, and the page uses no schema, so they can be
  // dropped.
  pure: ['Object', 'Array', 'String', 'Number', 'Integer', 'Optional'].map(
    (kind) => `Type.${kind}`,
  ),
});
await bundle('conformance/contract/schema.ts', 'conformance/contract/schema.js', {
  platform: 'node',
});

/** @param {import('esbuild').BuildOptions} options */
async function bundle(entry, outfile, options) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: join(dist, outfile),
    bundle: true,
    format: 'esm',
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    ...options,
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const packages = Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (/^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []) : [],
  );
  const notices = [...new Set(packages)].sort().map(noticeOf);
  appendFileSync(join(dist, outfile), `/*!\n${notices.join(`\n${'-'.repeat(79)}\n`)}*/\n`);
}

/** Returns the license notice of a package, which every copy must contain. */
function noticeOf(name) {
  const folder = join(root, 'node_modules', name);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
