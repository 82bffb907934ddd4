import { Graph, graphlib, layout } from '@dagrejs/dagre';
import { type Markup, markup, trusted } from '../output/markup.ts';
import type { PlanEdge, PlanGraph, PlanNode } from './plan-graph.ts';

const CHARACTER_PX = 6.9;
/** Character width in the first line of a box, which is larger and bold. */
const TITLE_CHARACTER_PX = 7.9;
const LINE_PX = 16;

type Point = { readonly x: number; readonly y: number };
type Box = Point & { readonly width: number; readonly height: number };

/**
 * Returns a plan drawn as SVG. The layout is computed here so that a page needs no library: tokens
 * are boxes, swaps arrows. Swaps in a cycle are dashed.
 *
 * @param direction - `LR` for a wide screen, `TB` for a narrow one.
 * @param money - Label of the drawing if it shows payments, which may form a cycle.
 * @param head - Markup at the start of the drawing, for a standalone file.
 */
export function drawPlan(
  plan: PlanGraph,
  direction: 'LR' | 'TB',
  money?: string,
  head?: Markup,
): Markup {
  const graph = new Graph({ multigraph: true });
  const across = direction === 'LR';
  graph.setGraph({
    rankdir: direction,
    nodesep: across ? 22 : 14,
    edgesep: across ? 12 : 10,
    ranksep: across ? 26 : 22,
    marginx: 8,
    marginy: 8,
  });
  for (const node of plan.nodes) {
    const lines = nodeLines(node, direction);
    const { width, height } = boxSize(lines, 22, 14);
    const titlePx = (lines[0]?.length ?? 0) * TITLE_CHARACTER_PX + 16;
    graph.setNode(node.key, { width: Math.max(width, up(titlePx)), height });
  }
  for (const [at, { from, to, lines }] of plan.edges.entries()) {
    graph.setEdge(from, to, { ...boxSize(lines, 8, 4), labelpos: 'c' }, String(at));
  }
  layout(graph);
  const circle = inCircle(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const routes = plan.edges.map((edge, at) => {
    const laid = graph.edge(edge.from, edge.to, String(at)) as Box & { points: readonly Point[] };
    const isCircular = edge.selfLoop || circle(edge.from, edge.to);
    return { edge, laid, circular: money === undefined && isCircular };
  });
  const namespace = head && markup` xmlns="http://www.w3.org/2000/svg"`;
  return markup`<svg${namespace} class="plan plan-${direction.toLowerCase()}" role="img" aria-label="${money ?? describe(plan)}" viewBox="0 0 ${up(width)} ${up(height)}" width="${up(width)}" height="${up(height)}">${head}
${routes.map(({ edge, laid, circular }) => drawEdge(edge, laid.points, circular))}
${plan.nodes.map((node) => drawNode(node, nodeLines(node, direction), graph.node(node.key) as Box))}
${routes.map(({ edge, laid }) => drawLabel(edge, laid))}
</svg>`;
}

function describe({ nodes, edges }: PlanGraph): string {
  return `Plan of ${nodes.length} tokens and ${edges.length} swaps`;
}

function boxSize(lines: readonly string[], padX: number, padY: number) {
  const longest = Math.max(...lines.map(({ length }) => length));
  return { width: up(longest * CHARACTER_PX + padX), height: lines.length * LINE_PX + padY };
}

/** Two tokens of one strongly connected component are on a cycle. */
function inCircle(graph: Graph): (from: string, to: string) => boolean {
  const component = new Map<string, number>();
  for (const [at, keys] of graphlib.alg.tarjan(graph).entries()) {
    for (const key of keys) component.set(key, at);
  }
  return (from, to) => component.get(from) === component.get(to);
}

function drawEdge(edge: PlanEdge, points: readonly Point[], circular: boolean): Markup {
  const kind = `${edge.marked ? ' marked' : ''}${circular ? ' circular' : ''}`;
  const arrow = edge.marked || circular ? 'arrow-marked' : 'arrow';
  return markup`<path class="edge${kind}" d="${curve(points)}" marker-end="url(#${arrow})"/>`;
}

/** Returns a line through the layout's points with rounded corners. */
function curve(points: readonly Point[]): string {
  const [start = { x: 0, y: 0 }, ...rest] = points;
  const end = rest.at(-1) ?? start;
  const corners = rest.slice(0, -1).map((corner, at) => {
    const next = rest[at + 1] ?? end;
    const middle = { x: (corner.x + next.x) / 2, y: (corner.y + next.y) / 2 };
    return `Q${place(corner)} ${place(at === rest.length - 2 ? end : middle)}`;
  });
  return `M${place(start)}${corners.length === 0 ? `L${place(end)}` : corners.join('')}`;
}

/** On a narrow screen, the last line of a box, the address, moves to its tooltip. */
function nodeLines({ lines, role }: PlanNode, direction: 'LR' | 'TB'): readonly string[] {
  return direction === 'LR' || role === 'missing' ? lines : lines.slice(0, -1);
}

function drawNode(node: PlanNode, lines: readonly string[], { x, y, width, height }: Box): Markup {
  return markup`<g class="node ${node.role}${node.marked ? ' marked' : ''}"><title>${node.hint}</title><rect x="${px(x - width / 2)}" y="${px(y - height / 2)}" width="${px(width)}" height="${px(height)}" rx="8"/>${textLines(lines, x, y)}</g>`;
}

function drawLabel(edge: PlanEdge, { x, y, width, height }: Box): Markup {
  return markup`<g class="label${edge.marked ? ' marked' : ''}"><title>${edge.hint}</title><rect x="${px(x - width / 2)}" y="${px(y - height / 2)}" width="${px(width)}" height="${px(height)}" rx="4"/>${textLines(edge.lines, x, y)}</g>`;
}

function textLines(lines: readonly string[], x: number, y: number): Markup[] {
  const top = y - ((lines.length - 1) * LINE_PX) / 2;
  return lines.map(
    (line, at) => markup`<text x="${px(x)}" y="${px(top + at * LINE_PX)}">${line}</text>`,
  );
}

function place({ x, y }: Point): string {
  return `${px(x)} ${px(y)}`;
}

function px(value: number): number {
  return Math.round(value * 10) / 10;
}

function up(value: number): number {
  return Math.ceil(value);
}

/** Returns the definitions that all drawings of a page share; they precede the drawings. */
export function planDefinitions(): Markup {
  return markup`<svg class="defs" width="0" height="0" aria-hidden="true"><defs>${arrow('arrow')}${arrow('arrow-marked')}</defs></svg>`;
}

function arrow(id: string): Markup {
  const name = trusted(id);
  return markup`<marker id="${name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="${name}" d="M0 0L10 5L0 10z"/></marker>`;
}
