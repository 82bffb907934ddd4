import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const DOCS = new URL('../../docs/', import.meta.url);

const pages = new Map(
  ['', 'commands/'].flatMap((folder) =>
    readdirSync(new URL(folder, DOCS))
      .filter((name) => name.endsWith('.md'))
      .map((name) => [
        `${folder}${name}`,
        readFileSync(new URL(`${folder}${name}`, DOCS), 'utf8').replace(/^```.*?^```$/gms, ''),
      ]),
  ),
);

const titleOf = (page: string) => /^# (.+)$/m.exec(pages.get(page) ?? '')?.[1];

test('the home page -> links to every page by its title', () => {
  const links = [...(pages.get('index.md') ?? '').matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)];
  for (const [, text = '', page = ''] of links) {
    expect(text.replaceAll('`', ''), page).toBe(titleOf(page)?.replaceAll('`', ''));
  }
  const linked = new Set(links.map(([, , page]) => page));
  expect([...pages.keys()].filter((page) => !linked.has(page))).toEqual(['index.md']);
});

test('the headings of a page -> all different', () => {
  for (const [page, text] of pages) {
    const headings = [...text.matchAll(/^#{1,3} .+$/gm)].map(([heading]) => heading);
    expect(headings.length, page).toBe(new Set(headings).size);
  }
});
