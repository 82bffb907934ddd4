import { Graph, graphlib, layout } from '@dagrejs/dagre';
import stringWidth from 'string-width';
import { counted } from '../contract/counted.ts';
import { type Markup, markup } from '../output/markup.ts';
import { type EdgeLine, edgeLines, px, strokeOf } from './edge-lines.ts';
import type { PlanEdge, PlanGraph, PlanNode } from './plan-graph.ts';

const CHARACTER_PX = 6.9;
const TITLE_CHARACTER_PX = 7.9;
const LINE_PX = 16;
const LABEL_GAP_PX = 3;

type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/**
 * Returns a plan as SVG. The layout is computed here, so that a page needs no library. Tokens are
 * boxes. Swaps are arrows whose width shows their share. Swaps in a cycle are dashed.
 *
 * @param money - Label of a drawing of payments, in which cycles are not dashed.
 * @param head - Markup at the start of the drawing, for a standalone file.
 */
export function drawPlan(plan: PlanGraph, money?: string, head?: Markup): Markup {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'LR',
    nodesep: 22,
    edgesep: 12,
    ranksep: 72,
    marginx: 8,
    marginy: 8,
  });
  for (const node of plan.nodes) {
    const { width, height } = boxSize(node.lines, 22, 14);
    const titlePx = stringWidth(node.lines[0] ?? '') * TITLE_CHARACTER_PX + 16;
    graph.setNode(node.key, { width: Math.max(width, up(titlePx)), height });
  }
  for (const [at, edge] of plan.edges.entries()) {
    const beside = { labelpos: 'r', labeloffset: strokeOf(edge) / 2 + LABEL_GAP_PX };
    graph.setEdge(edge.from, edge.to, { ...boxSize(edge.lines, 8, 4), ...beside }, String(at));
  }
  layout(graph);
  const isInCycle = findCycles(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const lines = edgeLines(graph, plan.edges);
  const isCircular = ({ from, to, selfLoop }: PlanEdge) =>
    money === undefined && (selfLoop || isInCycle(from, to));
  const namespace = head && markup` xmlns="http://www.w3.org/2000/svg"`;
  return markup`<svg${namespace} class="plan" role="img" aria-label="${money ?? describe(plan)}" viewBox="0 0 ${up(width)} ${up(height)}" width="${up(width)}" height="${up(height)}">${head}
${plan.edges.map((edge, at) => drawEdge(edge, lines[at] as EdgeLine, isCircular(edge)))}
${plan.nodes.map((node) => drawNode(node, graph.node(node.key) as Box))}
${plan.edges.map((edge, at) => drawLabel(edge, graph.edge(edge.from, edge.to, String(at)) as Box))}
</svg>`;
}

function describe({ nodes, edges }: PlanGraph): string {
  return `Plan of ${counted(nodes.length, 'token')} and ${counted(edges.length, 'swap')}`;
}

function boxSize(lines: readonly string[], padX: number, padY: number) {
  const longest = Math.max(...lines.map((line) => stringWidth(line)));
  return { width: up(longest * CHARACTER_PX + padX), height: lines.length * LINE_PX + padY };
}

/** An edge is in a cycle if both of its ends are in one strongly connected component. */
function findCycles(graph: Graph): (from: string, to: string) => boolean {
  const component = new Map<string, number>();
  for (const [at, keys] of graphlib.alg.tarjan(graph).entries()) {
    for (const key of keys) component.set(key, at);
  }
  return (from, to) => component.get(from) === component.get(to);
}

function drawEdge(edge: PlanEdge, { line, arrow, strokePx }: EdgeLine, circular: boolean): Markup {
  const kind = `${edge.marked ? ' marked' : ''}${circular ? ' circular' : ''}`;
  return markup`<path class="edge${kind}" stroke-width="${px(strokePx)}" d="${line}"/><path class="arrow${kind}" d="${arrow}"/>`;
}

function drawNode(node: PlanNode, { x, y, width, height }: Box): Markup {
  return markup`<g class="node ${node.role}${node.marked ? ' marked' : ''}"><title>${node.hint}</title><rect x="${px(x - width / 2)}" y="${px(y - height / 2)}" width="${px(width)}" height="${px(height)}"/>${textLines(node.lines, x, y)}</g>`;
}

function drawLabel(edge: PlanEdge, { x, y, width, height }: Box): Markup {
  return markup`<g class="label${edge.marked ? ' marked' : ''}"><title>${edge.hint}</title><rect x="${px(x - width / 2)}" y="${px(y - height / 2)}" width="${px(width)}" height="${px(height)}"/>${textLines(edge.lines, x, y)}</g>`;
}

function textLines(lines: readonly string[], x: number, y: number): Markup[] {
  const top = y - ((lines.length - 1) * LINE_PX) / 2;
  return lines.map(
    (line, at) => markup`<text x="${px(x)}" y="${px(top + at * LINE_PX)}">${line}</text>`,
  );
}

function up(value: number): number {
  return Math.ceil(value);
}
