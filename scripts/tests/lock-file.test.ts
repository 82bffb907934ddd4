import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const LOCK_FILE = new URL('../../package-lock.json', import.meta.url);

type Entry = { readonly link?: boolean; readonly integrity?: string };

test('every entry of the lock file, except links and the project itself -> an integrity', () => {
  const { packages } = JSON.parse(readFileSync(LOCK_FILE, 'utf8')) as {
    readonly packages: Readonly<Record<string, Entry>>;
  };
  const unchecked = Object.entries(packages).filter(
    ([path, { link, integrity }]) => path !== '' && !link && !/^sha512-/.test(integrity ?? ''),
  );
  expect(unchecked.map(([path]) => path)).toEqual([]);
});
