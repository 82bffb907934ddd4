import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The built `swapcheck`, for tests that start it as a process. It starts three times as fast as the source. */
export const PROGRAM = join(root, 'dist/scripts/swapcheck.js');

/**
 * Transpiles the program; vitest calls this once before the tests. Types are not checked, and
 * errors only fail the tests that start the program.
 */
// biome-ignore lint/style/noDefaultExport: vitest calls the default export of a global setup
export default function buildProgram(): void {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const options = ['--noCheck', '--declaration', 'false', '--incremental', 'false'];
  const compile = [join(typescript, 'bin/tsc'), '-p', 'tsconfig.build.json', ...options];
  const copy = ['scripts/build/prepare-dist.mjs', 'dist', '--keep'];
  for (const args of [copy, compile, ['scripts/build/bundle-dist.mjs', 'dist']]) {
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.stderr.write('The build of the program had errors.\n');
  }
}
