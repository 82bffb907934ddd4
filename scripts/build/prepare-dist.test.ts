import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';

test('the program of the package, after the compiler has written it -> executable', () => {
  const { folder, write } = useFolder(onTestFinished);
  execFileSync(process.execPath, [
    fileURLToPath(new URL('prepare-dist.mjs', import.meta.url)),
    folder,
  ]);
  const program = write('scripts/swapcheck.js', '#!/usr/bin/env node\n');
  expect(statSync(program).mode & 0o111).toBe(0o111);
});
