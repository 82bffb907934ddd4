import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { linterOverrides, PARTS, withLayerMap } from './layers.ts';
import { useFolder } from './use-folder.testing.ts';

const ROOT = new URL('../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, ROOT), 'utf8');
/** Folders whose folders are layers. */
const STACKS = PARTS.flatMap(({ name, layers }) => [
  { path: name as string, folders: Object.keys(layers) },
  ...Object.entries(layers).flatMap(([folder, layer]) =>
    typeof layer === 'string' || layer.layers === undefined
      ? []
      : [{ path: `${name}/${folder}`, folders: Object.keys(layer.layers) }],
  ),
]);

describe('the map of layers', () => {
  test('each folder of a part -> on the map, and none beside', () => {
    for (const { path, folders } of STACKS) {
      const found = readdirSync(new URL(path, ROOT), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name);
      expect(folders.toSorted()).toEqual(found.sort());
    }
  });

  test('the linter and CONTRIBUTING -> as `npm run layers` writes them', () => {
    const { overrides } = JSON.parse(read('biome.json')) as { readonly overrides: unknown[] };
    expect(overrides.slice(0, linterOverrides().length)).toEqual(linterOverrides());
    expect(withLayerMap(read('CONTRIBUTING.md'))).toBe(read('CONTRIBUTING.md'));
    expect(read('CONTRIBUTING.md')).toContain('  captured/    ');
  });
});

describe('the linter', () => {
  const { folder, write } = useFolder();

  /** Scratch files, one a forbidden direction, each with a type import alone. */
  const upward = STACKS.flatMap(({ path, folders }) =>
    folders.flatMap((folder, at) =>
      [
        ...folders.slice(at + 1).map((above) => `${above}/thing`),
        ...(path.includes('/') ? ['thing'] : []),
      ].map((above) => ({
        path: `${path}/${folder}/into-${above.replace('/', '-')}.ts`,
        specifier: `../${above}.ts`,
      })),
    ),
  );
  const downward = STACKS.flatMap(({ path, folders }) =>
    folders.flatMap((folder, at) =>
      folders.slice(0, at).map((below) => ({
        path: `${path}/${folder}/from-${below}.ts`,
        specifier: `../${below}/thing.ts`,
      })),
    ),
  );
  const foreign = PARTS.flatMap(({ name, layers, sees }) =>
    Object.keys(layers).flatMap((own) =>
      PARTS.filter((other) => other.name !== name).flatMap((other) =>
        Object.keys(other.layers)
          .filter((folder) => other.name !== 'conformance' || !sees.includes(folder))
          .map((folder) => ({
            path: `${name}/${own}/nested/into-${other.name}-${folder}.ts`,
            specifier: `../../../${other.name}/${folder}/thing.ts`,
          })),
      ),
    ),
  );

  const refusedFiles = (): ReadonlySet<string> => {
    const biome = fileURLToPath(new URL('node_modules/.bin/biome', ROOT));
    const args = [
      'lint',
      '--only=style/noRestrictedImports',
      '--reporter=json',
      '--max-diagnostics=none',
    ];
    let output: string;
    try {
      output = execFileSync(biome, [...args, '.'], {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    } catch (error) {
      output = (error as { readonly stdout: string }).stdout;
    }
    const { diagnostics } = JSON.parse(output) as {
      readonly diagnostics: readonly { readonly location: { readonly path: string } }[];
    };
    return new Set(diagnostics.map(({ location }) => location.path));
  };

  test('a type import from a layer above or another part -> refused; from one below -> let through', () => {
    const { $schema: _schema, ...configuration } = JSON.parse(read('biome.json')) as Record<
      string,
      unknown
    >;
    write('biome.json', JSON.stringify(configuration));
    for (const { path, specifier } of [...upward, ...downward, ...foreign]) {
      write(path, `export type { Thing } from '${specifier}';\n`);
    }
    const refused = refusedFiles();
    const paths = (files: readonly { readonly path: string }[]) =>
      files.map(({ path }) => path).sort();
    expect([...refused].sort()).toEqual(paths([...upward, ...foreign]));
  });
});
