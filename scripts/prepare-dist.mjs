import { cpSync, rmSync } from 'node:fs';
import { basename } from 'node:path';

/* Empties dist/ and copies what the compiler does not: the scripts that exported load profiles carry. */
const root = new URL('../', import.meta.url);
rmSync(new URL('dist', root), { recursive: true, force: true });
for (const folder of ['locust', 'k6']) {
  const path = `load/distributed/${folder}`;
  cpSync(new URL(path, root), new URL(`dist/${path}`, root), {
    recursive: true,
    filter: (from) => !/test_|__pycache__/.test(basename(from)),
  });
}
