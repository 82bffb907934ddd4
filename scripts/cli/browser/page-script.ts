import { readSwapBody } from '../../../conformance/checks/plan.ts';
import { planGraph } from '../../../conformance/drawing/plan-graph.ts';
import { drawPlan } from '../../../conformance/drawing/plan-svg.ts';
import { sketchPlan } from '../../../conformance/model/plan-sketch.ts';
import { openTradePage } from '../../../reference/page/browser/main.ts';

/* Runs the page at `/`, which draws plans the way reports do. */

openTradePage((reply) => {
  const sketch = sketchPlan(readSwapBody(reply));
  if (sketch === undefined) return '';
  return drawPlan(planGraph(sketch, undefined)).text;
});
