import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import type { Network } from '../graph/network.ts';
import { diamond, tokenOf } from '../planner.testing.ts';
import { push } from './push.ts';

const anyAmount = fc.bigInt({ min: 1000n, max: 10n ** 21n });

function pushed(network: Network, amount: bigint) {
  const filled = push(network, amount);
  if (filled.kind !== 'filled') throw new Error(filled.kind);
  return filled;
}

describe('push', () => {
  test('any amount -> every node passes on its whole inflow, even if a pool is exhausted', () => {
    forAll([anyAmount], { seed: 4 }, (amount) => {
      const { flows, amountOut } = pushed(diamond(), amount);
      const sum = (token: number, side: 'amountIn' | 'amountOut') =>
        flows
          .filter((flow) => (side === 'amountIn' ? flow.tokenIn : flow.tokenOut) === tokenOf(token))
          .reduce((total, flow) => total + flow[side], 0n);
      expect(sum(0, 'amountIn')).toBe(amount);
      expect(sum(1, 'amountIn')).toBe(sum(1, 'amountOut'));
      expect(sum(3, 'amountOut')).toBe(amountOut);
    });
  });

  test('a larger input -> no smaller output', () => {
    forAll([anyAmount, fc.bigInt({ min: 1n, max: 1000n })], { seed: 8 }, (amount, more) => {
      const network = diamond();
      const { amountOut } = pushed(network, amount + more);
      expect(amountOut).toBeGreaterThanOrEqual(pushed(network, amount).amountOut);
    });
  });

  test('a fixed part -> exactly that amount enters its pool, and the rest enters the other pools', () => {
    const { nodes } = diamond();
    const [first, second] = nodes[0] ?? [];
    if (first === undefined || second === undefined) throw new Error('no links');
    const fixed = { nodes: [[first, { ...second, fixed: 12_345n }], ...nodes.slice(1)] };
    const { flows } = pushed(fixed, 10n ** 18n);
    const inputs = flows.filter(({ tokenIn }) => tokenIn === tokenOf(0));
    expect(inputs.map(({ amountIn }) => amountIn)).toEqual([10n ** 18n - 12_345n, 12_345n]);
  });

  test('rounding -> one base unit on each side of each swap, relative to the trade', () => {
    const { nodes } = diamond();
    const single = { nodes: nodes.map((links) => links.slice(0, 1)) };
    const { rounding, flows } = pushed(single, 1_000_000n);
    const amounts = flows.flatMap(({ amountIn, amountOut }) => [amountIn, amountOut]);
    expect(rounding).toBeCloseTo(
      amounts.reduce((sum, amount) => sum + 1 / Number(amount), 0),
      12,
    );
  });

  test('more than the first pools take -> exhausted', () => {
    expect(push(diamond(), 2n ** 120n)).toEqual({ kind: 'exhausted' });
  });

  test('one base unit -> dust', () => {
    expect(push(diamond(), 1n)).toEqual({ kind: 'dust' });
  });
});
