import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { artifact, CONTRACT_FILES, permit2CreationCode } from '../../fixtures/chains/artifacts.ts';

const require = createRequire(import.meta.url);
const root = dirname(require.resolve('#package'));

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

test('the packed files -> no tests, mutants or benches', () => {
  expect(packed.filter((file) => /\/mutants\/|[.](test|testing)[.]|\/bench\//.test(file))).toEqual(
    [],
  );
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
