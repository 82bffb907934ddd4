import { markup, trusted } from '../output/markup.ts';
import { PALETTE } from '../output/page-style.ts';
import type { PlanGraph } from './plan-graph.ts';
import { DRAWING_STYLE } from './plan-style.ts';
import { drawPlan } from './plan-svg.ts';

const RULES = `${PALETTE}${DRAWING_STYLE}`.replace(/\n(\s+|(?=\}))/g, ' ');
const STYLE = `<style>\n${RULES}.plan{background:var(--bg)}</style>`;

/**
 * Returns a plan as a standalone SVG file. Its colors follow the viewer's light or dark mode.
 *
 * @param money - Label of a drawing of payments.
 */
export function planFile(plan: PlanGraph, money?: string): string {
  return drawPlan(plan, money, markup`${trusted(STYLE)}`).text;
}
