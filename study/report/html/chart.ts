import { type Markup, markup } from '../../../conformance/output/markup.ts';
import type { Spread } from '../../model/metrics.ts';

/** Values of one service along an axis, in its colour. */
export type Line = {
  readonly name: string;
  readonly points: readonly Point[];
};

export type Point = {
  readonly x: number;
  readonly y: number;
  /** 95 % interval. */
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  /** Text for a resting pointer. */
  readonly hint: string;
};

/** How a chart is drawn. */
type ChartOptions = {
  /** Description for screen readers. */
  readonly label: string;
  readonly yRange: readonly [low: number, high: number];
  readonly formatY: (y: number) => string;
  readonly formatX: (x: number) => string;
  readonly xTitle: string;
};

/** A wide drawing and a narrow one: text in a scaled drawing would be too small to read on a phone. */
const WIDTHS = { wide: 680, narrow: 330 } as const;
const HEIGHT = 240;
const MARGIN = { left: 52, right: 12, top: 10, bottom: 40 } as const;
const TICKS = 4;

/** Returns lines over evenly spaced steps, with bands for their intervals. */
export function lineChart(lines: readonly Line[], options: ChartOptions): Markup {
  return bothWidths((width) => {
    const steps = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort(
      (a, b) => a - b,
    );
    const inner = width - MARGIN.left - MARGIN.right;
    const half = inner / Math.max(1, steps.length) / 2;
    const x = (value: number) => MARGIN.left + half + steps.indexOf(value) * half * 2;
    const y = scaleY(options.yRange);
    const drawn = lines.map(({ points }, at) => {
      const tint = `s${(at % 6) + 1}`;
      const band = bandOf(points, x, y);
      const path = points.map((point) => `${x(point.x)} ${y(point.y)}`).join('L');
      return markup`<g class="series ${tint}">${band === '' ? undefined : markup`<path class="band" d="${band}"/>`}<path class="line" d="M${path}"/>${points.map((point) => markup`<circle cx="${x(point.x)}" cy="${y(point.y)}" r="4"><title>${point.hint}</title></circle>`)}</g>`;
    });
    const ticks = steps.map(
      (step) =>
        markup`<text class="x" x="${x(step)}" y="${HEIGHT - MARGIN.bottom + 16}">${options.formatX(step)}</text>`,
    );
    return frame(width, options, [...ticks, ...drawn]);
  });
}

function bandOf(
  points: readonly Point[],
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  const bounded = points.filter(({ low, high }) => low !== undefined && high !== undefined);
  if (bounded.length < 2) return '';
  const upper = bounded.map((point) => `${x(point.x)} ${y(point.high ?? 0)}`);
  const lower = bounded.toReversed().map((point) => `${x(point.x)} ${y(point.low ?? 0)}`);
  return `M${[...upper, ...lower].join('L')}Z`;
}

/** A group of values as a box: quartiles, median, and whiskers from the 5th to the 95th of 100. */
export type Box = Spread & {
  readonly name: string;
  readonly tint: number;
  readonly hint: string;
};

/** Returns boxes from top to bottom over one scale; values beyond it are drawn at its edge. */
export function boxChart(
  boxes: readonly Box[],
  { label, yRange: [low, high], formatY }: Pick<ChartOptions, 'label' | 'yRange' | 'formatY'>,
): Markup {
  return bothWidths((width) => {
    const row = 34;
    const height = boxes.length * row + 34;
    const x = (value: number) => {
      const share = (Math.min(high, Math.max(low, value)) - low) / (high - low);
      return round(24 + share * (width - 48));
    };
    const axis = ticksIn([low, high]).map(
      (tick) =>
        markup`<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="4" y2="${height - 24}"/><text class="x" x="${x(tick)}" y="${height - 8}">${formatY(tick)}</text>`,
    );
    const drawn = boxes.map(({ name, tint, p5, p25, median, p75, p95, hint }, at) => {
      const top = at * row + 20;
      const middle = top + 6;
      return markup`<g class="box s${(tint % 6) + 1}"><title>${hint}</title><text class="name" x="16" y="${top - 5}">${name}</text><line class="whisker" x1="${x(p5)}" x2="${x(p95)}" y1="${middle}" y2="${middle}"/><rect x="${x(p25)}" y="${top}" width="${Math.max(2, round(x(p75) - x(p25)))}" height="12" rx="2"/><line class="median" x1="${x(median)}" x2="${x(median)}" y1="${top - 1}" y2="${top + 13}"/></g>`;
    });
    return markup`<svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${axis}${drawn}</svg>`;
  });
}

function frame(
  width: number,
  { label, yRange, formatY, xTitle }: ChartOptions,
  content: readonly Markup[],
): Markup {
  const y = scaleY(yRange);
  const grid = ticksIn(yRange).map(
    (tick) =>
      markup`<line class="grid" x1="${MARGIN.left}" x2="${width - MARGIN.right}" y1="${y(tick)}" y2="${y(tick)}"/><text class="y" x="${MARGIN.left - 8}" y="${y(tick) + 4}">${formatY(tick)}</text>`,
  );
  const middle = (MARGIN.left + width - MARGIN.right) / 2;
  return markup`<svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}">${grid}${content}<text class="x" x="${middle}" y="${HEIGHT - 6}">${xTitle}</text></svg>`;
}

/** Returns the smallest range around values and zero with round ticks. */
export function roundRange(values: readonly number[]): readonly [low: number, high: number] {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  for (let unit = 10 ** Math.floor(Math.log10((high - low || 1) / TICKS)); ; unit *= 10) {
    for (const step of [unit, 2 * unit, 5 * unit]) {
      const start = Math.floor(low / step) * step;
      const end = start + TICKS * step;
      if (end >= high) return [start, end];
    }
  }
}

function ticksIn([low, high]: readonly [number, number]): readonly number[] {
  return Array.from({ length: TICKS + 1 }, (_, at) => low + ((high - low) * at) / TICKS);
}

function scaleY([low, high]: readonly [number, number]): (value: number) => number {
  const inner = HEIGHT - MARGIN.top - MARGIN.bottom;
  return (value) => {
    const share = (Math.min(high, Math.max(low, value)) - low) / (high - low);
    return round(HEIGHT - MARGIN.bottom - share * inner);
  };
}

function bothWidths(draw: (width: number) => Markup): Markup {
  return markup`<div class="chart"><div class="wide">${draw(WIDTHS.wide)}</div><div class="narrow">${draw(WIDTHS.narrow)}</div></div>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
