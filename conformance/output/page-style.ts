import { readFileSync } from 'node:fs';

/** Returns the concatenated texts of files next to a module. */
export function readSiblingFiles(module: string, ...names: readonly string[]): string {
  return names.map((name) => readFileSync(new URL(name, module), 'utf8')).join('');
}

/** The colors that all pages and drawings share. */
export const PALETTE = readSiblingFiles(import.meta.url, 'palette.css');

/** The style that all pages share. */
export const PAGE_STYLE = PALETTE + readSiblingFiles(import.meta.url, 'page.css', 'cards.css');

/** Returns the additional style of pages with charts and metrics. */
export function chartStyle(): string {
  return readSiblingFiles(import.meta.url, 'charts.css');
}
