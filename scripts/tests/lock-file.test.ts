import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));

type Entry = {
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly integrity?: string;
  readonly license?: string;
};

const { packages } = read('package-lock.json') as {
  readonly packages: Readonly<Record<string, Entry>>;
};
const installed = Object.entries(packages).filter(([path]) => path !== '');

test('every entry of the lock file, except links and the project itself -> an integrity', () => {
  const unchecked = installed.filter(
    ([, { link, integrity }]) => !link && !/^sha512-/.test(integrity ?? ''),
  );
  expect(unchecked.map(([path]) => path)).toEqual([]);
});

const [, listed = ''] = /--onlyAllow "([^"]*)"/.exec(read('package.json').scripts.licenses) ?? [];
const allowed = listed.split(';');
const isAllowed = (license: string): boolean =>
  license
    .replaceAll(/[()]/g, '')
    .split(' AND ')
    .every((part) => part.split(' OR ').some((name) => allowed.includes(name)));

// `npm run licenses` accepts any license that contains an allowed name.
test('a package that we ship -> each license that applies is allowed', () => {
  const shipped = installed.filter(([, { dev }]) => !dev);
  const rejected = shipped.filter(([, { license = 'none' }]) => !isAllowed(license));
  expect(rejected.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  expect(['MIT AND GPL-3.0', 'GPL-3.0', '(MIT OR GPL-3.0)', 'MIT AND ISC'].map(isAllowed)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
