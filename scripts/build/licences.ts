import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contractPackages } from './fixtures/artifacts.ts';

const require = createRequire(import.meta.url);
const satisfies = require('spdx-satisfies') as (licence: string, allowed: string[]) => boolean;
const root = dirname(require.resolve('#package'));

/** What MIT code may be installed with, and be bundled with into one executable. */
const PERMISSIVE = 'MIT ISC 0BSD BSD-2-Clause BSD-3-Clause Apache-2.0 BlueOak-1.0.0 Zlib'.split(
  ' ',
);
/** What a tool that never ships may carry besides: terms on changes of the tool itself, or on its data. */
const FOR_TOOLS = [...PERMISSIVE, ...'MPL-2.0 CC0-1.0 CC-BY-3.0 CC-BY-4.0 WTFPL'.split(' ')];

/** Packages under other terms, which the terms allow as they are used here: at work on this machine, never given on. */
const EXCEPTIONS: ReadonlySet<string> = new Set([
  ...contractPackages().keys(),
  // What the packages of the contracts depend on.
  '@uniswap/lib',
  // A word list of the spelling checker.
  '@cspell/dict-en-common-misspellings',
  // Reads action.yml in a test.
  '@action-validator/core',
]);

type Dependency = {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression, as its package says; `NOASSERTION` if it says nothing. */
  readonly licence: string;
  /** Whether it is installed with the package, so that users have it. */
  readonly ships: boolean;
};

/** Returns the packages in npm's tree. */
export function installedPackages(): readonly InstalledPackage[] {
  const text = execFileSync('npm', ['query', '*'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const packages: readonly InstalledPackage[] = JSON.parse(text);
  return packages.filter(({ location }) => location !== '');
}

/** Returns all packages that are installed, by name, with what they say of their licences. */
export function listDependencies(): readonly Dependency[] {
  return installedPackages()
    .map(({ name, version, license, licenses = [], dev }) => ({
      name,
      version,
      licence: license ?? (licenses.map(({ type }) => type).join(' OR ') || 'NOASSERTION'),
      ships: dev !== true,
    }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** What npm tells of a package in the tree. */
type InstalledPackage = {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly location: string;
  readonly dev?: boolean;
  readonly license?: string;
  /** How old packages say it. */
  readonly licenses?: readonly { readonly type: string }[];
};

/** Returns the dependencies whose licence does not let them be used as they are. */
export function incompatible(dependencies: readonly Dependency[]): readonly Dependency[] {
  return dependencies.filter(({ name, licence, ships }) => {
    if (!ships && EXCEPTIONS.has(name)) return false;
    try {
      return !satisfies(licence, ships ? PERMISSIVE : FOR_TOOLS);
    } catch {
      // No expression of SPDX: nobody can tell what it allows.
      return true;
    }
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dependencies = listDependencies();
  for (const { name, version, licence, ships } of dependencies) {
    process.stdout.write(`${ships ? 'ships' : 'tool '}  ${name}@${version}  ${licence}\n`);
  }
  const refused = incompatible(dependencies);
  for (const { name, version, licence } of refused) {
    process.stderr.write(`${name}@${version}: ${licence} is not allowed here\n`);
  }
  process.exitCode = refused.length === 0 ? 0 : 1;
}
