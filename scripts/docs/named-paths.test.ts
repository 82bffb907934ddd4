import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const [, map = ''] = /## Folders\n\n```\n(.*?)```/s.exec(read('CONTRIBUTING.md')) ?? [];

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

const cwd = fileURLToPath(ROOT);
const ignore = ['**/node_modules/**', '**/dist/**', 'reports/**', 'docs/rules/**'];
const paths = globSync('**', { cwd, ignore, dot: true });
const pages = paths.filter((path) => path.endsWith('.md'));

test('the files and folders that pages name -> exist', () => {
  const known = new Set(paths.flatMap(partsOf));
  const missing = pages.flatMap((page) => {
    // Pages for users also name files of users.
    const isOurs = ['CONTRIBUTING.md', 'docs/architecture.md'].includes(page) ? /./ : TOP_FOLDER;
    return [...read(page).matchAll(PATH)]
      .map(([, path = '']) => path)
      .filter((path) => isOurs.test(path) && !known.has(path.replace(/\/$/, '')))
      .map((path) => `${page}: ${path}`);
  });
  expect(pages.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});

test('the links of pages to files -> lead to files', () => {
  const broken = pages.flatMap((page) =>
    [
      ...read(page)
        .replace(CODE, '')
        .matchAll(/\]\((?!https?:|#)([^)#\s]+)/g),
    ]
      .filter(([, link = '']) => !existsSync(new URL(link, new URL(page, ROOT))))
      .map(([, link]) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

const CODE = /^ *```.*?^ *```$/gms;
const TOP_FOLDER = /^(conformance|load|study|reference|scripts|fixtures|docs|examples)\//;
/** A path between backticks, without a placeholder in capitals. */
const PATH = /`(?!\.)(?!\S*(?:NAME|SECTION))([\w.-]+(?:\/[\w.-]+)*(?:\/|\.(?:ts|mjs|sol|md)))`/g;

/**
 * Returns every consecutive part of a path, as pages name them: `a/b/c.ts`, `b/c.ts`, `a/b`, `b`.
 */
function partsOf(path: string): string[] {
  const names = path.split('/');
  return names.flatMap((_, end) =>
    names.slice(0, end + 1).map((__, start) => names.slice(start, end + 1).join('/')),
  );
}
