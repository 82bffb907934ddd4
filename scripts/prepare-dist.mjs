import { cpSync, readdirSync, rmSync } from 'node:fs';
import { basename } from 'node:path';

/* Empties dist/ and copies what the compiler does not: the scripts that exported load profiles carry. */
const root = new URL('../', import.meta.url);
rmSync(new URL('dist', root), { recursive: true, force: true });
const exported = 'load/distributed';
for (const entry of readdirSync(new URL(exported, root), { withFileTypes: true })) {
  if (!entry.isDirectory()) continue;
  const path = `${exported}/${entry.name}`;
  cpSync(new URL(path, root), new URL(`dist/${path}`, root), {
    recursive: true,
    filter: (from) => !/test_|__pycache__/.test(basename(from)),
  });
}
