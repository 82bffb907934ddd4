import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const [, map = ''] =
  /## Folders\n\n```\n(.*?)```/s.exec(readFileSync(new URL('CONTRIBUTING.md', ROOT), 'utf8')) ?? [];

/** Folders of the map and the files to start at, as paths from the root. */
const folders: string[] = [];
const files: string[] = [];
const parents: string[] = [];
for (const line of map.trimEnd().split('\n')) {
  const [, indent = '', names = ''] = /^( *)([\w-]+\/(?:, [\w-]+\/)*)/.exec(line) ?? [];
  const depth = indent.length / 2;
  const paths = names.split(', ').map((name) => parents.slice(0, depth).join('') + name);
  parents[depth] = names;
  folders.push(...paths);
  for (const [, ...starts] of line.matchAll(/start at (\S+\.\w+)(?: and (\S+\.\w+))?/gi)) {
    files.push(...starts.flatMap((file) => (file === undefined ? [] : `${paths[0]}${file}`)));
  }
}

test('the map of folders -> names folders and files that exist', () => {
  expect(files.length).toBeGreaterThan(20);
  expect([...folders, ...files].filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
});

test('the map of folders -> has every layer, lowest first', async () => {
  const configuration = new URL('.dependency-cruiser.mjs', ROOT).href;
  const rules: { name: string }[] = (await import(configuration)).default.forbidden;
  const layers = rules.flatMap(
    ({ name }) => /^(\S+\/) imports only from lower layers$/.exec(name)?.[1] ?? [],
  );
  const partOf = (path: string) => path.replace(/[^/]+\/$/, '');
  const parts = [...new Set(layers.map(partOf))];
  expect(parts.length).toBeGreaterThan(4);
  for (const part of parts) {
    const isLayer = (path: string) => partOf(path) === part && layers.includes(path);
    expect(folders.filter(isLayer)).toEqual(layers.filter(isLayer));
  }
});
