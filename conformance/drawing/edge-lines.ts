import type { Graph } from '@dagrejs/dagre';
import type { PlanEdge } from './plan-graph.ts';

const MIN_STROKE_PX = 1.5;
const MAX_STROKE_PX = 8;
const MARKED_STROKE_PX = 3;

/** An edge as drawn: `line` and `arrow` are the data of SVG paths. */
export type EdgeLine = {
  readonly line: string;
  readonly arrow: string;
  readonly strokePx: number;
};

type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

type Label = Box & { readonly points: readonly { readonly x: number; readonly y: number }[] };

type End = { readonly box: string; readonly side: number; readonly toward: number };

/**
 * Returns the lines of a plan that dagre laid out from left to right. Dagre leaves room for each
 * line in every column of boxes or labels. So each line runs straight through a column and bends
 * only between columns. Lines that meet at a box are spread along its side.
 */
export function edgeLines(graph: Graph, edges: readonly PlanEdge[]): readonly EdgeLine[] {
  const boxOf = (key: string) => graph.node(key) as Box;
  const labels = edges.map(({ from, to }, at) => graph.edge(from, to, String(at)) as Label);
  const inColumns = [...graph.nodes().map(boxOf), ...labels];
  const halfColumnAt = (x: number) =>
    Math.max(0, ...inColumns.filter((box) => Math.abs(box.x - x) < 1).map((box) => box.width / 2));

  const drafts = labels.map(({ points }, at) => {
    const { from, to } = edges[at] as PlanEdge;
    const forward = Math.sign((points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0));
    return {
      ...{ forward, inner: points.slice(1, -1) },
      start: { box: from, side: forward, toward: points[1]?.y ?? 0 },
      end: { box: to, side: -forward, toward: points.at(-2)?.y ?? 0 },
    };
  });
  const ends: readonly End[] = drafts.flatMap(({ start, end }) => [start, end]);
  const yOf = (end: End): number => {
    const atSide = ends.filter(({ box, side }) => box === end.box && side === end.side);
    const rank = atSide.toSorted((a, b) => a.toward - b.toward).indexOf(end);
    const { y, height } = boxOf(end.box);
    return y + (height / 2) * ((2 * (rank + 1)) / (atSide.length + 1) - 1);
  };

  return drafts.map(({ forward, inner, start, end }, at) => {
    const strokePx = strokeOf(edges[at] as PlanEdge);
    // A thick line bends only after the full width of the line has left the column.
    const straightAt = (x: number) => forward * (halfColumnAt(x) + strokePx / 2);
    const [from, to] = [boxOf(start.box), boxOf(end.box)];
    const tip = to.x - (forward * to.width) / 2;
    const base = tip - forward * Math.max(9, strokePx * 1.5);
    const lastColumn = to.x - straightAt(to.x);
    const stretches = [
      {
        near: from.x + (forward * from.width) / 2,
        far: from.x + straightAt(from.x),
        y: yOf(start),
      },
      ...inner.map(({ x, y }) => ({ near: x - straightAt(x), far: x + straightAt(x), y })),
      {
        near: forward > 0 ? Math.min(lastColumn, base) : Math.max(lastColumn, base),
        far: base,
        y: yOf(end),
      },
    ];
    return {
      line: curveThrough(stretches),
      arrow: arrowTo(tip, base, yOf(end), strokePx),
      strokePx,
    };
  });
}

type Stretch = { readonly near: number; readonly far: number; readonly y: number };

function curveThrough(stretches: readonly Stretch[]): string {
  const parts = stretches.map(({ near, far, y }, at) => {
    const straight = `H${px(far)}`;
    const before = stretches[at - 1];
    if (before === undefined) return `M${place(near, y)}${straight}`;
    if (px(before.y) === px(y)) return straight;
    const middle = (before.far + near) / 2;
    return `C${place(middle, before.y)} ${place(middle, y)} ${place(near, y)}${straight}`;
  });
  return parts.join('');
}

function arrowTo(tip: number, base: number, y: number, strokePx: number): string {
  const half = Math.max(4.5, strokePx);
  return `M${place(tip, y)}L${place(base, y - half)}L${place(base, y + half)}z`;
}

function place(x: number, y: number): string {
  return `${px(x)} ${px(y)}`;
}

/** Returns the width of a line, which is proportional to its share of the token, within bounds. */
export function strokeOf({ share, marked }: PlanEdge): number {
  const part = Math.min(1, Math.max(0, share ?? 0));
  const strokePx = MIN_STROKE_PX + part * (MAX_STROKE_PX - MIN_STROKE_PX);
  return marked ? Math.max(MARKED_STROKE_PX, strokePx) : strokePx;
}

/** Rounds a coordinate to a tenth of a pixel. */
export function px(value: number): number {
  return Math.round(value * 10) / 10;
}
