import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  artifact,
  CONTRACT_FILES,
  contractPackages,
  permit2CreationCode,
} from '../../fixtures/chains/artifacts.ts';

const require = createRequire(import.meta.url);
const root = dirname(require.resolve('#package'));
const notices = readFileSync(join(root, 'THIRD_PARTY.md'), 'utf8');

const packed = packedFiles();
const contracts = Object.keys(CONTRACT_FILES) as (keyof typeof CONTRACT_FILES)[];

test('the packed files -> no bytecode from contracts of other projects', () => {
  expect(packed).toEqual(
    expect.arrayContaining(['LICENSE', 'THIRD_PARTY.md', 'dist/scripts/swapcheck.js']),
  );
  expect(packed.filter((file) => file.startsWith('dist/chains'))).toEqual([]);
  const codes = [...contracts.map((name) => artifact(name).bytecode), permit2CreationCode()];
  const pieces = codes.flatMap(piecesOf);
  // Verify that the search finds code from other projects.
  const own = join(root, 'node_modules', CONTRACT_FILES.weth9);
  expect(holdsPiece(own, pieces)).toBe(true);
  expect(packed.filter((file) => holdsPiece(join(root, file), pieces))).toEqual([]);
});

/** Files that users need. Excludes tests, benchmarks, builders and mutants. */
const PUBLISHED = new RegExp(
  `^(${[
    '(LICENSE|README.md|THIRD_PARTY.md|package.json)',
    'dist/(conformance|load|study|reference)/.*[.](js|d[.]ts|css|py|yaml)',
    'dist/conformance/rules/words/.*[.]md',
    'dist/page/page[.]js',
    'dist/(fixtures/chains|scripts/(cli|certificate))/.*[.](js|d[.]ts)',
    'dist/scripts/swapcheck[.](js|d[.]ts)',
    'docs/.*[.](md|json|svg|webp|png|ya?ml|service)',
    'fixtures/(README.md|(bytecode|markets|schemas)/[\\w.-]+[.]json)',
  ].join('|')})$`,
);

test('the packed files -> only files that users need', () => {
  expect(packed.filter((file) => !PUBLISHED.test(file))).toEqual([]);
  expect(packed.filter((file) => /\/mutants\/|[.](test|testing)[.]|\/bench\//.test(file))).toEqual(
    [],
  );
});

test('THIRD_PARTY.md -> lists every contract with its package and the installed version', () => {
  const rows = notices.split('\n').filter((line) => line.startsWith('| `'));
  for (const [name, version] of contractPackages()) {
    const ofPackage = rows.filter((row) => row.startsWith(`| \`${name}\` ${version} |`));
    expect(ofPackage, `${name} ${version}`).not.toEqual([]);
    const files = Object.values(CONTRACT_FILES).filter((file) => file.startsWith(`${name}/`));
    for (const file of files) expect(ofPackage.join('\n')).toContain(basename(file, '.json'));
  }
  expect(
    rows.filter((row) => ![...contractPackages().keys()].some((it) => row.includes(it))),
  ).toEqual([]);
});

test.each([
  ['page/page.js', ['@dagrejs/dagre', 'viem']],
  ['conformance/contract/schema.js', ['typebox']],
])('the bundle %s -> ends with the licenses of its packages', (file, packages) => {
  const [, end = ''] = readFileSync(join(root, 'dist', file), 'utf8').split('\n/*!\n');
  const each = end.split(`\n${'-'.repeat(79)}\n`);
  for (const name of packages) {
    expect(each).toContainEqual(
      expect.stringMatching(`^${name} [\\d.]+\n[\\s\\S]*Permission is hereby`),
    );
  }
  expect(each.filter((notice) => !/Copyright|licen[cs]e/i.test(notice))).toEqual([]);
});

test('packages that are installed with ours -> no install scripts', () => {
  const scripted = Object.entries(lockedPackages()).filter(
    ([, { dev, devOptional, hasInstallScript }]) => hasInstallScript && !dev && !devOptional,
  );
  // Our own `prepare` runs only in a checkout, not when the package is installed.
  expect(scripted.map(([name]) => name).filter((name) => name !== '')).toEqual([]);
});

test('builds of Anvil, the linter and the compilers for other platforms -> in the lockfile', () => {
  const locked = lockedPackages();
  const named = Object.values(locked).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  for (const platform of ['darwin-arm64', 'linux-arm64', 'win32-']) {
    expect(named).toContainEqual(expect.stringContaining(`@foundry-rs/anvil-${platform}`));
  }
  // If a registry does not list a package, npm drops it from the lockfile. Then `npm ci` fails on
  // other platforms.
  expect(named.filter((name) => locked[`node_modules/${name}`] === undefined)).toEqual([]);
});

type LockedPackage = {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

function lockedPackages(): Readonly<Record<string, LockedPackage>> {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
}

function packedFiles(): readonly string[] {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const [{ files }] = JSON.parse(text) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
}

function piecesOf(code: string): readonly string[] {
  return [0.25, 0.5, 0.75].map((share) => {
    const start = Math.floor(code.length * share);
    return code.slice(start, start + 80).toLowerCase();
  });
}

function holdsPiece(path: string, pieces: readonly string[]): boolean {
  const text = readFileSync(path, 'latin1').toLowerCase();
  return pieces.some((piece) => text.includes(piece));
}
