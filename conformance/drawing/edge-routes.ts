import type { Graph } from '@dagrejs/dagre';
import type { PlanEdge } from './plan-graph.ts';

const MIN_STROKE_PX = 1.5;
const MAX_STROKE_PX = 8;
const MARKED_STROKE_PX = 3;
const MAX_PORT_GAP_PX = 10;
const CORNER_PX = 8;
const MIN_CLEARANCE_PX = 2;

type Point = { readonly x: number; readonly y: number };
type Box = Point & { readonly width: number; readonly height: number };

/** An edge as drawn: `line` and `arrow` are the data of SVG paths. */
export type EdgeRoute = {
  readonly line: string;
  readonly arrow: string;
  readonly strokePx: number;
};

/** A point or box seen along the direction of the drawing. */
type Station = { readonly main: number; readonly cross: number };
type Extent = Station & { readonly halfMain: number; readonly halfCross: number };

const NO_EXTENT: Extent = { main: 0, cross: 0, halfMain: 0, halfCross: 0 };

/** One end of an edge at the side of a box, ordered there by `toward`. */
type Port = { readonly toward: number; readonly strokePx: number; cross: number };

/**
 * Routes the edges of a plan laid out by dagre. A line runs straight through the rows of boxes and
 * labels, where dagre has reserved room for it, and bends only between them, so it crosses only its
 * own label, which is drawn above it. Lines at the same side of a box are spread over that side.
 */
export function edgeRoutes(graph: Graph, edges: readonly PlanEdge[], direction: 'LR' | 'TB') {
  const across = direction === 'LR';
  const station = ({ x, y }: Point): Station =>
    across ? { main: x, cross: y } : { main: y, cross: x };
  const extent = (box: Box): Extent => ({
    ...station(box),
    halfMain: (across ? box.width : box.height) / 2,
    halfCross: (across ? box.height : box.width) / 2,
  });
  const text = ({ main, cross }: Station) =>
    across ? `${px(main)} ${px(cross)}` : `${px(cross)} ${px(main)}`;
  const laidOut = edges.map((edge, at) => {
    const label = graph.edge(edge.from, edge.to, String(at)) as Box & { points: readonly Point[] };
    return { label: extent(label), points: label.points.map(station) };
  });
  const keys: readonly string[] = graph.nodes();
  const boxes = new Map(keys.map((key) => [key, extent(graph.node(key) as Box)]));
  const rows = [...boxes.values(), ...laidOut.map(({ label }) => label)];
  /** Half the extent of the row of boxes or labels at a place. */
  const rowAt = (main: number) =>
    Math.max(0, ...rows.filter((row) => Math.abs(row.main - main) < 1).map((row) => row.halfMain));

  const sides = new Map<string, { readonly box: Extent; readonly ports: Port[] }>();
  const addPort = (key: string, side: number, toward: number, strokePx: number): Port => {
    const box = boxes.get(key) ?? NO_EXTENT;
    const port = { toward, strokePx, cross: box.cross };
    const at = `${side} ${key}`;
    if (!sides.has(at)) sides.set(at, { box, ports: [] });
    sides.get(at)?.ports.push(port);
    return port;
  };
  const ends = edges.map((edge, at) => {
    const points = laidOut[at]?.points ?? [];
    const strokePx = strokeOf(edge);
    const forward = Math.sign((points.at(-1)?.main ?? 0) - (points[0]?.main ?? 0));
    if (edge.from === edge.to || forward === 0) return undefined;
    return {
      forward,
      start: addPort(edge.from, forward, points[1]?.cross ?? 0, strokePx),
      end: addPort(edge.to, -forward, points.at(-2)?.cross ?? 0, strokePx),
    };
  });
  for (const { box, ports } of sides.values()) spreadPorts(box, ports);

  return edges.map((edge, at): EdgeRoute => {
    const { label, points = [] } = laidOut[at] ?? {};
    const strokePx = strokeOf(edge);
    const ported = ends[at];
    const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
    if (ported === undefined || from === undefined || to === undefined) {
      return loopRoute(from ?? NO_EXTENT, label ?? NO_EXTENT, text, strokePx);
    }
    const inner = points.slice(1, -1).map(({ main, cross }) => {
      const others = rows.filter((row) => Math.abs(row.main - main) < 1 && row !== label);
      return { main, cross: nearestFree(cross, others, strokePx) };
    });
    const shape = { ...ported, from, to, strokePx, inner };
    return portedRoute(shape, rowAt, text);
  });
}

/**
 * A line between ports of two boxes. `inner` has dagre's points in the rows between
 * them, each of which is passed on a straight line from its near to its far side.
 */
function portedRoute(
  {
    forward,
    start,
    end,
    from,
    to,
    strokePx,
    inner,
  }: {
    readonly forward: number;
    readonly start: Port;
    readonly end: Port;
    readonly from: Extent;
    readonly to: Extent;
    readonly strokePx: number;
    readonly inner: readonly Station[];
  },
  rowAt: (main: number) => number,
  text: (station: Station) => string,
): EdgeRoute {
  const along = text({ main: 1, cross: 0 }) === '1 0' ? 'H' : 'V';
  /** A thick line bends only after its whole width has left the row. */
  const straightAt = (main: number) => forward * (rowAt(main) + strokePx / 2);
  const tip = { main: to.main - forward * to.halfMain, cross: end.cross };
  const base = { ...tip, main: tip.main - forward * arrowPx(strokePx) };
  const lastRow = to.main - straightAt(to.main);
  const approach = forward > 0 ? Math.min(lastRow, base.main) : Math.max(lastRow, base.main);
  const stretches: readonly (readonly [near: Station, far: Station])[] = [
    [
      { main: from.main + forward * from.halfMain, cross: start.cross },
      { main: from.main + straightAt(from.main), cross: start.cross },
    ],
    ...inner.map(({ main, cross }) => {
      const half = straightAt(main);
      return [
        { main: main - half, cross },
        { main: main + half, cross },
      ] as const;
    }),
    [{ ...base, main: approach }, base],
  ];
  const parts = stretches.map(([near, far], index) => {
    const before = stretches[index - 1]?.[1];
    const straight = px(near.main) === px(far.main) ? '' : `${along}${px(far.main)}`;
    if (before === undefined) return `M${text(near)}${straight}`;
    const middle = (before.main + near.main) / 2;
    const [bend, unbend] = [before, near].map(({ cross }) => text({ main: middle, cross }));
    const isLevel = px(before.cross) === px(near.cross);
    return `${isLevel ? `${along}${px(near.main)}` : `C${bend} ${unbend} ${text(near)}`}${straight}`;
  });
  return { line: parts.join(''), arrow: arrowHead(base, tip, text, strokePx), strokePx };
}

/** Returns the width of a line: in proportion to its share of the token, within bounds. */
function strokeOf({ share, marked }: PlanEdge): number {
  const part = Math.min(1, Math.max(0, share ?? 0));
  const strokePx = MIN_STROKE_PX + part * (MAX_STROKE_PX - MIN_STROKE_PX);
  return marked ? Math.max(MARKED_STROKE_PX, strokePx) : strokePx;
}

/** Returns the position in a row that is nearest to `cross` and clear of other lines. */
function nearestFree(cross: number, others: readonly Extent[], strokePx: number): number {
  const taken = others.map((other) => {
    const half = other.halfCross + strokePx / 2 + MIN_CLEARANCE_PX;
    return [other.cross - half, other.cross + half] as const;
  });
  const isFree = (place: number) => taken.every(([low, high]) => place <= low || place >= high);
  if (isFree(cross)) return cross;
  const places = taken.flat().filter(isFree);
  return places.reduce((best, place) =>
    Math.abs(place - cross) < Math.abs(best - cross) ? place : best,
  );
}

/** Spreads the ends of lines over a side of a box, in the order of the places they come from. */
function spreadPorts(box: Extent, ports: Port[]): void {
  const total = ports.reduce((sum, { strokePx }) => sum + strokePx, 0);
  const room = 2 * (box.halfCross - CORNER_PX) - total;
  const gap = ports.length > 1 ? Math.min(MAX_PORT_GAP_PX, room / (ports.length - 1)) : 0;
  let cross = box.cross - (total + gap * (ports.length - 1)) / 2;
  for (const port of ports.toSorted((one, other) => one.toward - other.toward)) {
    port.cross = cross + port.strokePx / 2;
    cross += port.strokePx + gap;
  }
}

/** A line from a box to the label next to it, and back to the box. */
function loopRoute(
  box: Extent,
  label: Extent,
  text: (station: Station) => string,
  strokePx: number,
): EdgeRoute {
  const side = Math.sign(label.cross - box.cross) || 1;
  const [out, back] = [box.main - MAX_PORT_GAP_PX, box.main + MAX_PORT_GAP_PX];
  const tip = { main: back, cross: box.cross + side * box.halfCross };
  const base = { ...tip, cross: tip.cross + side * arrowPx(strokePx) };
  const corners = [
    { ...tip, main: out },
    { main: out, cross: label.cross },
  ];
  const line = [...corners, { main: back, cross: label.cross }, base].map(text).join('L');
  return { line: `M${line}`, arrow: arrowHead(base, tip, text, strokePx), strokePx };
}

function arrowPx(strokePx: number): number {
  return Math.max(9, strokePx * 1.5);
}

function arrowHead(
  base: Station,
  tip: Station,
  text: (station: Station) => string,
  strokePx: number,
): string {
  const length = Math.hypot(tip.main - base.main, tip.cross - base.cross);
  const half = Math.max(4.5, strokePx) / length;
  const [main, cross] = [(tip.cross - base.cross) * half, (tip.main - base.main) * half];
  const back = { main: base.main - tip.main - main, cross: base.cross - tip.cross + cross };
  return `M${text(tip)}l${text(back)}l${text({ main: 2 * main, cross: -2 * cross })}z`;
}

function px(value: number): number {
  return Math.round(value * 10) / 10;
}
