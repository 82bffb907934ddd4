import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Empties dist/ or the given folder, and adds the files that the compiler does not write: styles
 * and scripts of pages, and the scripts of exported load profiles. Also creates the package's
 * programs as empty executable files. The compiler later overwrites their content but not their
 * mode. With --keep, only copies files.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const args = process.argv.slice(2);
const keep = args.includes('--keep');
const dist = resolve(args.find((arg) => arg !== '--keep') ?? join(root, 'dist'));
if (!keep) rmSync(dist, { recursive: true, force: true });
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const program of keep ? [] : Object.values(bin)) {
  const path = join(dist, program.replace(/^dist\//, ''));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '', { mode: 0o755 });
}
for (const part of ['conformance', 'load', 'study', 'reference/page']) {
  for (const path of readdirSync(join(root, part), { recursive: true })) {
    if (!/\.(css|js|py|yaml)$|^rules[\\/]words[\\/].*\.md$/.test(path)) continue;
    if (path.endsWith('.js') && existsSync(join(root, part, path.replace(/js$/, 'ts')))) {
      throw new Error(`${part}/${path} needs another name: the compiler overwrites it in dist/`);
    }
    cpSync(join(root, part, path), join(dist, part, path));
  }
}
