import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Empties a folder, dist/ unless another is named, and puts into it what the
 * compiler does not: the scripts that exported load profiles carry, and the
 * programs of the package as empty files that may be run. The compiler writes
 * into those, and they keep their mode.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const dist = resolve(process.argv[2] ?? join(root, 'dist'));
rmSync(dist, { recursive: true, force: true });
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const program of Object.values(bin)) {
  const path = join(dist, program.replace(/^dist\//, ''));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '', { mode: 0o755 });
}
const exported = 'load/distributed';
for (const entry of readdirSync(join(root, exported), { withFileTypes: true })) {
  if (!entry.isDirectory()) continue;
  const path = `${exported}/${entry.name}`;
  cpSync(join(root, path), join(dist, path), {
    recursive: true,
    filter: (from) => !/test_|__pycache__/.test(basename(from)),
  });
}
