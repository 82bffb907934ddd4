import { readSiblingFiles } from '../output/page-style.ts';

/** Style of a drawn plan. */
export const DRAWING_STYLE = readSiblingFiles(import.meta.url, 'plan.css');

/** Additional style of a page with drawn plans. */
export const PLAN_STYLE = DRAWING_STYLE + readSiblingFiles(import.meta.url, 'figure.css');
