import { readBeside } from '../output/page-style.ts';

/** How a drawn plan looks. */
export const DRAWING_STYLE = readBeside(import.meta.url, 'plan.css');

/** What a page that draws plans adds to the style that all pages share. */
export const PLAN_STYLE = DRAWING_STYLE + readBeside(import.meta.url, 'figure.css');
