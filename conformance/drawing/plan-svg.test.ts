import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlanEdge, PlanGraph, PlanNode } from './plan-graph.ts';
import { drawPlan } from './plan-svg.ts';

type Point = { readonly x: number; readonly y: number };
type Rectangle = Point & { readonly width: number; readonly height: number };

function node(key: string, lines = 2): PlanNode {
  const text = Array.from({ length: lines }, (_, at) => `line ${at} of ${key}`);
  return { key, lines: text, role: 'token', marked: false, hint: key };
}

function edge(from: string, to: string, more: Partial<PlanEdge> = {}): PlanEdge {
  const lines = ['UniswapV3 · 10%', '1.23456 WETH', '→ 3000.12 USDC'];
  return { from, to, lines, marked: false, selfLoop: false, hint: '', ...more };
}

function boxesAndLinesOf(svg: string) {
  const number = (tag: string, name: string) =>
    Number(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]);
  const rectangles = (kind: string): readonly Rectangle[] =>
    [...svg.matchAll(new RegExp(`<g class="${kind}[^"]*"><title>[^<]*</title>(<rect[^>]*>)`, 'g'))]
      .map(([, tag = '']) => tag)
      .map((tag) => ({
        x: number(tag, 'x'),
        y: number(tag, 'y'),
        width: number(tag, 'width'),
        height: number(tag, 'height'),
      }));
  const lines = [...svg.matchAll(/<path class="edge[^>]*>/g)].map(([tag]) => ({
    strokePx: number(tag, 'stroke-width'),
    points: pointsOf(/ d="([^"]*)"/.exec(tag)?.[1] ?? ''),
  }));
  const arrows = [...svg.matchAll(/<path class="arrow[^>]* d="M([^"]*)z"/g)].map(
    ([, data = '']) => ({
      strokePx: 0,
      points: pointsOf(`M${data}`),
    }),
  );
  return { boxes: rectangles('node'), labels: rectangles('label'), lines, arrows };
}

function pointsOf(data: string): readonly Point[] {
  const points: Point[] = [];
  for (const [, command, text = ''] of data.matchAll(/([A-Za-z])([^A-Za-z]*)/g)) {
    const numbers = text.trim().split(/\s+/).map(Number);
    const values = command === 'H' ? [...numbers, points.at(-1)?.y ?? Number.NaN] : numbers;
    const given = Array.from({ length: values.length / 2 }, (_, at) => ({
      x: values[2 * at] ?? Number.NaN,
      y: values[2 * at + 1] ?? Number.NaN,
    }));
    const start = points.at(-1);
    if (command === 'M' || start === undefined) {
      points.push(...given);
      continue;
    }
    const controls = [start, ...given];
    const length = controls.slice(1).reduce((sum, { x, y }, at) => {
      const before = controls[at] ?? start;
      return sum + Math.hypot(x - before.x, y - before.y);
    }, 0);
    const steps = Math.ceil(length * 2);
    for (let step = 1; step <= steps; step++)
      points.push(pointOnBezierCurve(controls, step / steps));
  }
  return points;
}

function pointOnBezierCurve(controls: readonly Point[], part: number): Point {
  const [first = { x: 0, y: 0 }, ...rest] = controls;
  if (rest.length === 0) return first;
  const between = rest.map(({ x, y }, at) => {
    const before = controls[at] ?? first;
    return { x: before.x + (x - before.x) * part, y: before.y + (y - before.y) * part };
  });
  return pointOnBezierCurve(between, part);
}

function crosses({ points, strokePx }: { points: readonly Point[]; strokePx: number }) {
  const half = strokePx / 2;
  return ({ x, y, width, height }: Rectangle) =>
    points.some(
      (point) =>
        point.x > x - half &&
        point.x < x + width + half &&
        point.y > y - half &&
        point.y < y + height + half,
    );
}

test('shares of 0, 50 and 100%, and an unknown share -> strokes of 1.5 to 8 px', () => {
  const shares = [0, 0.5, 1, undefined, 7];
  const edges = shares.map((share) => edge('a', 'b', share === undefined ? {} : { share }));
  const svg = drawPlan({ nodes: [node('a'), node('b')], edges }).text;
  expect(boxesAndLinesOf(svg).lines.map(({ strokePx }) => strokePx)).toEqual([1.5, 4.8, 8, 1.5, 8]);
});

test('a marked swap with a small share -> a line of 3 px', () => {
  const edges = [edge('a', 'b', { share: 0.01, marked: true })];
  const svg = drawPlan({ nodes: [node('a'), node('b')], edges }).text;
  expect(boxesAndLinesOf(svg).lines[0]?.strokePx).toBe(3);
});

test('names in CJK characters and emoji -> boxes and labels as wide as for twice as many letters', () => {
  const widthsOf = (name: string) => {
    const nodes = ['a', 'b'].map((key) => ({ ...node(key), lines: [name] }));
    const edges = [edge('a', 'b', { lines: [name] })];
    const { boxes, labels } = boxesAndLinesOf(drawPlan({ nodes, edges }).text);
    return [...boxes, ...labels].map(({ width }) => width);
  };
  expect(widthsOf('中文中文🚀')).toEqual(widthsOf('ABCDEFGHIJ'));
});

test('a swap in each direction -> both dashed, as a cycle; payments -> not', () => {
  const plan = { nodes: [node('a'), node('b')], edges: [edge('a', 'b'), edge('b', 'a')] };
  expect(drawPlan(plan).text.match(/class="edge circular"/g)).toHaveLength(2);
  expect(drawPlan(plan, 'Payments').text).not.toContain('circular');
});

const anyPlan = fc
  .record({
    sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 8 }),
    pairs: fc.array(fc.tuple(fc.nat(7), fc.nat(7), fc.nat(100), fc.nat(4)), {
      minLength: 1,
      maxLength: 16,
    }),
  })
  .map(({ sizes, pairs }): PlanGraph => {
    const nodes = sizes.map((lines, at) => node(`token ${at}`, lines));
    const edges = pairs.flatMap(([one, other, percent, words]) => {
      const [from, to] = [one, other].map((at) => nodes[at % nodes.length]?.key ?? '');
      const lines = ['UniswapV3 · 10%', ...Array.from({ length: words }, () => '1 WETH')];
      return from === to ? [] : [edge(from ?? '', to ?? '', { share: percent / 100, lines })];
    });
    return { nodes, edges };
  });

test('any plan -> no line or arrow crosses a label or another box', () => {
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const { boxes, labels, lines, arrows } = boxesAndLinesOf(drawPlan(plan).text);
      const { nodes, edges } = plan;
      expect([boxes, labels, lines, arrows].map(({ length }) => length)).toEqual(
        [nodes, edges, edges, edges].map(({ length }) => length),
      );
      for (const [at, line] of lines.entries()) {
        const { from, to } = edges[at] ?? {};
        const otherBoxes = boxes.filter((_, index) => {
          const key = nodes[index]?.key;
          return key !== from && key !== to;
        });
        expect(labels.filter(crosses(line))).toEqual([]);
        expect(otherBoxes.filter(crosses(line))).toEqual([]);
      }
      for (const arrow of arrows) expect(labels.filter(crosses(arrow))).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
