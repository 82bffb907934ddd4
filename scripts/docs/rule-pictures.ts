import { planFile } from '../../conformance/drawing/plan-file.ts';
import { planGraph } from '../../conformance/drawing/plan-graph.ts';
import type { Failure } from '../../conformance/model/report.ts';
import { moneyGraph } from '../../conformance/report/html/money-graph.ts';

/** What the picture of a failure is drawn from: a plan, or who paid whom. */
export type Pictured =
  | Required<Pick<Failure, 'money'>>
  | (Required<Pick<Failure, 'plan'>> & Pick<Failure, 'pointer'>);

const END = '</svg>';
const SOURCE = /<metadata>(.*)<\/metadata><\/svg>$/;

/** What stands below a picture. */
export function captionOf(pictured: Pictured): string {
  return 'money' in pictured ? 'Who paid whom in the settlement' : 'The plan of that reply';
}

/** Returns the picture of a failure, with what it is drawn from in it, so that it can be drawn anew. */
export function pictureOf(pictured: Pictured): string {
  const svg =
    'money' in pictured
      ? planFile(moneyGraph(pictured.money), captionOf(pictured))
      : planFile(planGraph(pictured.plan, pictured.pointer));
  // Escaped as JSON may be: nothing in it ends an element.
  const source = JSON.stringify(pictured).replace(/[<>&]/g, escapeOf);
  return `${svg.slice(0, -END.length)}<metadata>${source}</metadata>${END}`;
}

/** Returns what a picture was drawn from. */
export function picturedIn(svg: string): Pictured {
  return JSON.parse(SOURCE.exec(svg)?.[1] ?? 'null');
}

function escapeOf(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`;
}
