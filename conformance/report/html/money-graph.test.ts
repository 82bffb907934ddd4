import { describe, expect, test } from 'vitest';
import type { Moved } from '../../model/evidence.ts';
import { moneyGraph, omittedPayments } from './money-graph.ts';

const account = (digit: number) => `0x${String(digit).repeat(40)}`;
const paid = (from: number, to: number, amount: string, more: Partial<Moved> = {}): Moved => ({
  ...{ from: account(from), to: account(to), token: account(9), symbol: 'USDC', decimals: 6 },
  ...{ amount, ...more },
});
const sender = { fromName: 'the sender' };

describe('moneyGraph', () => {
  test('an account that pays first and is paid last -> drawn at both ends', () => {
    const { nodes, edges } = moneyGraph([
      paid(1, 2, '5', sender),
      paid(2, 1, '4', { toName: 'the sender' }),
    ]);
    expect(nodes.map(({ role, lines }) => [role, lines[0]])).toEqual([
      ['sell', 'the sender'],
      ['missing', 'unknown'],
      ['buy', 'the sender, paid'],
    ]);
    expect(edges.map(({ from, to }) => [from, to])).toEqual([
      [nodes[0]?.key, nodes[1]?.key],
      [nodes[1]?.key, nodes[2]?.key],
    ]);
  });

  test('an account that pays itself -> drawn twice', () => {
    const { nodes, edges } = moneyGraph([paid(1, 1, '5', { fromName: 'a', toName: 'a' })]);
    expect(nodes.map(({ lines: [name] }) => name)).toEqual(['a', 'a, paid']);
    expect(edges.map(({ from, to }) => [from, to])).toEqual([nodes.map(({ key }) => key)]);
  });

  test('two payments of one token between the same accounts -> one arrow with the sum; of two tokens -> two arrows', () => {
    const { edges } = moneyGraph([
      paid(1, 2, '1000000'),
      paid(1, 2, '500000'),
      paid(1, 2, '7', { token: account(8), symbol: 'WETH' }),
    ]);
    expect(edges.map(({ lines }) => lines)).toEqual([
      ['USDC', '1.5'],
      ['WETH', '0.000007'],
    ]);
  });

  test('payments between a hundred pairs of accounts -> the first sixty, and the number of the others', () => {
    const money = Array.from({ length: 100 }, (_, at) => paid(1, 2, '1', { token: `0x${at}` }));
    expect(moneyGraph(money).edges).toHaveLength(60);
    expect(omittedPayments(money)).toBe(40);
  });
});
