import { describe, expect, test } from 'vitest';
import { readSwapBody } from '../checks/plan.ts';
import { sketchPlan } from '../model/plan-sketch.ts';
import { splitPlan, wireRoute } from '../report/sample-report.testing.ts';
import { planGraph } from './plan-graph.ts';

function graphOf(document: unknown, pointer?: string) {
  const plan = sketchPlan(readSwapBody(document), pointer);
  if (plan === undefined) throw new Error('no plan');
  return planGraph(plan, pointer);
}

describe('planGraph', () => {
  const routes = Array.from({ length: 12 }, () => wireRoute(0, 1, '5', '4'));

  test('a pointer into route 1 -> only that route is marked, and not route 0 or 10', () => {
    const { edges } = graphOf({ ...splitPlan, routes }, '/routes/1/toTokens/0/amount');
    expect(edges.flatMap(({ marked }, at) => (marked ? [at] : []))).toEqual([1]);
  });

  test('more than 12 routes -> routes of one pair are merged, with their sum; a marked route is separate', () => {
    const many = [...routes, wireRoute(0, 2, '7', '8'), wireRoute(2, 1, 'x', '4'), ...routes];
    const { edges } = graphOf({ ...splitPlan, routes: many }, '/routes/1');
    const marked = wireRoute(0, 1, '5', '4').name;
    expect(edges.map(({ from, to, lines: [name] }) => [from, to, name])).toEqual([
      ['0', '1', '23 sources · 90.6%'],
      ['0', '1', `✗ ${marked} · 3.9%`],
      ['0', '2', `${marked} · 5.5%`],
      ['2', '1', marked],
    ]);
    expect(edges[0]?.hint).toMatch(
      /^routes\/0: .*, routes\/2: .*, routes\/25: .*: 115 → 92 base units$/,
    );
  });

  test('a pointer into sell or buy -> that end is marked', () => {
    const marked = (pointer: string) =>
      graphOf(splitPlan, pointer)
        .nodes.filter((node) => node.marked)
        .map(({ role }) => role);
    expect(marked('/sell/amount')).toEqual(['sell']);
    expect(marked('/buy')).toEqual(['buy']);
    expect(marked('/aggregator')).toEqual([]);
  });

  test('a token that does not pass on everything -> its box shows the difference, in both units', () => {
    const { nodes } = graphOf(splitPlan, '/tokens/2');
    expect(nodes.filter(({ marked }) => marked).map(({ lines }) => lines)).toEqual([
      ['✗ DAI', 'missing 0.080693 DAI', '80693000000000000 base units', '2 · 0x02bDB…0aa3'],
    ]);
    const kept = { ...splitPlan, sell: { referenceId: 0, amount: '2500000000000000007' } };
    const [sell] = graphOf(kept, '/sell/amount').nodes;
    expect(sell?.lines).toContain('left over 0.000000000000000007 WETH');
  });

  test('a reference to a missing token -> a box with a message', () => {
    const { nodes } = graphOf({ ...splitPlan, routes: [wireRoute(0, 99, '5', '4')] });
    expect(nodes.at(-1)).toMatchObject({
      role: 'missing',
      lines: ['reference 99', 'not in tokens'],
    });
  });

  test('two tokens with one reference -> two boxes', () => {
    const [first] = splitPlan.tokens;
    const { nodes } = graphOf({ ...splitPlan, tokens: [...splitPlan.tokens, first] }, '/tokens/5');
    expect(nodes).toHaveLength(6);
    expect(nodes.filter(({ marked }) => marked)).toHaveLength(1);
    expect(new Set(nodes.map(({ key }) => key)).size).toBe(6);
  });

  test('a swap of a token into itself, or into nothing -> an arrow to a separate box', () => {
    const nothing = { ...wireRoute(0, 1, '5', '4'), toTokens: [] };
    const { nodes, edges } = graphOf({
      ...splitPlan,
      routes: [wireRoute(0, 0, '5', '4'), nothing],
    });
    expect(edges.map(({ selfLoop }) => selfLoop)).toEqual([true, false]);
    expect(nodes.slice(-2).map(({ lines }) => lines)).toEqual([
      ['WETH', 'the same token'],
      ['nothing'],
    ]);
    const keys = new Set(nodes.map(({ key }) => key));
    for (const { from, to } of edges)
      expect(keys.has(from) && keys.has(to) && from !== to).toBe(true);
  });

  test('a share that rounds to 0 or 100% -> less than 0.1%, more than 99.9%', () => {
    const { edges } = graphOf({
      ...splitPlan,
      routes: [wireRoute(0, 1, '1', '1'), wireRoute(0, 1, '999999', '4')],
    });
    expect(edges.map(({ lines: [name] }) => name)).toEqual([
      'Uniswap V3 · < 0.1%',
      'Uniswap V3 · > 99.9%',
    ]);
  });

  test('a swap of two tokens into one -> two arrows', () => {
    const both = {
      ...wireRoute(0, 1, '5', '4'),
      fromTokens: [
        { referenceId: 0, amount: '5' },
        { referenceId: 2, amount: '7' },
      ],
    };
    expect(graphOf({ ...splitPlan, routes: [both] }).edges.map(({ from }) => from)).toEqual([
      '0',
      '2',
    ]);
  });
});
