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

type Placed = {
  readonly x: number;
  readonly y: number;
  readonly width?: number;
  readonly height?: number;
};

type Extent = {
  readonly main: number;
  readonly cross: number;
  readonly halfMain: number;
  readonly halfCross: number;
};

type End = { readonly box: string; readonly side: number; readonly toward: number };

/**
 * Returns the lines of a plan that dagre laid out. Dagre leaves room for each line in every row of
 * boxes or labels. So each line runs straight through a row and bends only between rows. Lines that
 * meet at a box are spread along its side.
 */
export function edgeLines(
  graph: Graph,
  edges: readonly PlanEdge[],
  direction: 'LR' | 'TB',
): readonly EdgeLine[] {
  const across = direction === 'LR';
  const extentOf = ({ x, y, width = 0, height = 0 }: Placed): Extent =>
    across
      ? { main: x, cross: y, halfMain: width / 2, halfCross: height / 2 }
      : { main: y, cross: x, halfMain: height / 2, halfCross: width / 2 };
  const boxOf = (key: string) => extentOf(graph.node(key) as Placed);
  const placed = edges.map((edge, at) => {
    const label = graph.edge(edge.from, edge.to, String(at)) as Placed & { points: Placed[] };
    return { edge, label: extentOf(label), points: label.points.map(extentOf) };
  });
  const rows = [...graph.nodes().map(boxOf), ...placed.map(({ label }) => label)];
  const halfRowAt = (main: number) =>
    Math.max(0, ...rows.filter((row) => Math.abs(row.main - main) < 1).map((row) => row.halfMain));

  const drafts = placed.map(({ edge, points }) => {
    const forward = Math.sign((points.at(-1)?.main ?? 0) - (points[0]?.main ?? 0));
    return {
      ...{ edge, forward, inner: points.slice(1, -1) },
      start: { box: edge.from, side: forward, toward: points[1]?.cross ?? 0 },
      end: { box: edge.to, side: -forward, toward: points.at(-2)?.cross ?? 0 },
    };
  });
  const ends: readonly End[] = drafts.flatMap(({ start, end }) => [start, end]);
  const crossOf = (end: End): number => {
    const atSide = ends.filter(({ box, side }) => box === end.box && side === end.side);
    const rank = atSide.toSorted((a, b) => a.toward - b.toward).indexOf(end);
    const { cross, halfCross } = boxOf(end.box);
    return cross + halfCross * ((2 * (rank + 1)) / (atSide.length + 1) - 1);
  };

  return drafts.map(({ edge, forward, inner, start, end }) => {
    const strokePx = strokeOf(edge);
    // A thick line bends only after the full width of the line has left the row.
    const straightAt = (main: number) => forward * (halfRowAt(main) + strokePx / 2);
    const [from, to] = [boxOf(edge.from), boxOf(edge.to)];
    const tip = to.main - forward * to.halfMain;
    const base = tip - forward * Math.max(9, strokePx * 1.5);
    const lastRow = to.main - straightAt(to.main);
    const stretches = [
      {
        near: from.main + forward * from.halfMain,
        far: from.main + straightAt(from.main),
        cross: crossOf(start),
      },
      ...inner.map(({ main, cross }) => {
        return { near: main - straightAt(main), far: main + straightAt(main), cross };
      }),
      {
        near: forward > 0 ? Math.min(lastRow, base) : Math.max(lastRow, base),
        far: base,
        cross: crossOf(end),
      },
    ];
    return { ...curveWithArrow(stretches, tip, strokePx, across), strokePx };
  });
}

type Stretch = { readonly near: number; readonly far: number; readonly cross: number };

function curveWithArrow(
  stretches: readonly Stretch[],
  tip: number,
  strokePx: number,
  across: boolean,
): Omit<EdgeLine, 'strokePx'> {
  const place = (main: number, cross: number) =>
    (across ? [main, cross] : [cross, main]).map(px).join(' ');
  const parts = stretches.map(({ near, far, cross }, at) => {
    const straight = `${across ? 'H' : 'V'}${px(far)}`;
    const before = stretches[at - 1];
    if (before === undefined) return `M${place(near, cross)}${straight}`;
    if (px(before.cross) === px(cross)) return straight;
    const middle = (before.far + near) / 2;
    const bend = [place(middle, before.cross), place(middle, cross), place(near, cross)];
    return `C${bend.join(' ')}${straight}`;
  });
  const { far: base = tip, cross = 0 } = stretches.at(-1) ?? {};
  const half = Math.max(4.5, strokePx);
  const corners = [place(tip, cross), place(base, cross - half), place(base, cross + half)];
  return { line: parts.join(''), arrow: `M${corners.join('L')}z` };
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
