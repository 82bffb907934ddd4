import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import buildProgram from './built-program.testing.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The package as people install it, beside what the examples need. */
export type PackedPackage = {
  /** Where it is installed, the examples beside it. */
  readonly folder: string;
  readonly tarball: string;
  readonly remove: () => void;
};

/** Packs the package and installs it in a folder of its own, with what the examples and the tests need. */
export function installPacked(): PackedPackage {
  buildProgram();
  const folder = mkdtempSync(join(tmpdir(), 'swapcheck-packed-'));
  const npm = (...args: readonly string[]) =>
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const packed = npm('pack', root, '--json', '--ignore-scripts');
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const tarball = join(folder, filename);
  cpSync(join(root, 'examples'), folder, { recursive: true });
  const needs = JSON.parse(readFileSync(join(root, 'scripts/packed-package.json'), 'utf8'));
  const dependencies = { ...needs.dependencies, swapcheck: `file:${filename}` };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...needs, dependencies }));
  npm('install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund');
  return { folder, tarball, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
