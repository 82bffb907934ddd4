import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** `swapcheck` as it is built, for tests that start it as a process: from source it starts three times as slowly. */
export const PROGRAM = join(root, 'dist/scripts/swapcheck.js');

/** Builds what has changed; vitest calls it once before the tests. */
// biome-ignore lint/style/noDefaultExport: vitest calls the default export of a global set-up
export default function buildProgram(): void {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const compile = [join(typescript, 'bin/tsc'), '-p', 'tsconfig.build.json'];
  execFileSync(process.execPath, compile, { cwd: root, stdio: 'inherit' });
  execFileSync(process.execPath, ['scripts/build/bundle-dist.mjs', 'dist'], { cwd: root });
}
