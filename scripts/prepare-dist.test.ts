import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

test('the program of the package, once the compiler has written it -> may be run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dist-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  execFileSync(process.execPath, [
    fileURLToPath(new URL('prepare-dist.mjs', import.meta.url)),
    folder,
  ]);
  const program = join(folder, 'scripts', 'swapcheck.js');
  writeFileSync(program, '#!/usr/bin/env node\n');
  expect(statSync(program).mode & 0o111).toBe(0o111);
});
