import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { contractPackages } from '../../fixtures/chains/artifacts.ts';

const require = createRequire(import.meta.url);
const satisfies = require('spdx-satisfies') as (license: string, allowed: string[]) => boolean;

/** Licenses of packages on which code under the MIT license may depend, and which it may bundle. */
const PERMISSIVE = 'MIT ISC 0BSD BSD-2-Clause BSD-3-Clause Apache-2.0 BlueOak-1.0.0 Zlib'.split(
  ' ',
);

/**
 * Licenses that are also allowed for development tools. They concern only changes to the tool, or
 * its data.
 */
const FOR_TOOLS = [...PERMISSIVE, ...'MPL-2.0 CC0-1.0 CC-BY-3.0 CC-BY-4.0 WTFPL'.split(' ')];

/** Development tools under other licenses, which allow this use. We never ship these tools. */
const EXCEPTIONS = [
  ...contractPackages().keys(),
  // A test deploys these contracts; see THIRD_PARTY.md.
  '@cryptoalgebra/integral-core',
  // The packages with contracts depend on this package.
  '@uniswap/lib',
  // A word list of the spelling checker. The package states the MIT license only in its README.
  '@cspell/dict-en-common-misspellings',
  // A test reads action.yml with this package.
  '@action-validator/core',
];

type Licenses = Readonly<Record<string, string>>;

function listPackages(...options: readonly string[]): Licenses {
  const checker = dirname(require.resolve('license-checker-rseidelsohn/package.json'));
  const args = [join(checker, 'bin/license-checker-rseidelsohn.js'), '--json', ...options];
  const cwd = dirname(require.resolve('#package'));
  const text = execFileSync(process.execPath, args, { cwd, encoding: 'utf8', maxBuffer: 1e8 });
  const packages: Readonly<Record<string, { readonly licenses: string }>> = JSON.parse(text);
  return Object.fromEntries(
    Object.entries(packages).map(([name, { licenses }]) => [name, licenses]),
  );
}

function notAllowed(packages: Licenses, allowed: string[]): readonly string[] {
  return Object.entries(packages).flatMap(([name, license]) => {
    try {
      return satisfies(license, allowed) ? [] : [name];
    } catch {
      // The license is not an SPDX expression, so its terms are unknown.
      return [name];
    }
  });
}

test('packages that are installed with ours -> permissive licenses', () => {
  const shipped = listPackages('--production', '--nopeer');
  expect(Object.keys(shipped).length).toBeGreaterThan(50);
  expect(notAllowed(shipped, PERMISSIVE)).toEqual([]);
});

test('development tools -> licenses that allow this use', () => {
  const names = notAllowed(listPackages(), FOR_TOOLS).map((name) => name.replace(/@[^@]*$/, ''));
  expect(names).toContain('canonical-weth');
  expect(names.filter((name) => !EXCEPTIONS.includes(name))).toEqual([]);
});

test.each([
  ['GPL-3.0-or-later', false],
  ['GPL-3.0-or-later OR MIT', true],
  ['MIT AND GPL-2.0', false],
  ['MPL-2.0', false],
  ['SEE LICENSE IN LICENSE.txt', false],
])('%s -> may be installed with ours: %s', (license, isAllowed) => {
  expect(notAllowed({ 'some@1.0.0': license }, PERMISSIVE)).toEqual(
    isAllowed ? [] : ['some@1.0.0'],
  );
});
