import { readSiblingFiles } from '../output/page-style.ts';

/** The style of a drawn plan. */
export const DRAWING_STYLE = readSiblingFiles(import.meta.url, 'plan.css');

/** The additional style of a page with drawn plans. */
export const PLAN_STYLE = DRAWING_STYLE + readSiblingFiles(import.meta.url, 'figure.css');
