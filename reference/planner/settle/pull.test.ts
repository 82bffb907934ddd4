import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import type { Flow } from '../graph/network.ts';
import { diamond, tokenOf } from '../planner.testing.ts';
import { minInputFlows } from './min-input.ts';
import { pull } from './pull.ts';
import { push } from './push.ts';

const anyAmount = fc.bigInt({ min: 1000n, max: 10n ** 21n });

function totalOf(flows: readonly Flow[], token: number, side: 'amountIn' | 'amountOut'): bigint {
  return flows
    .filter((flow) => (side === 'amountIn' ? flow.tokenIn : flow.tokenOut) === tokenOf(token))
    .reduce((sum, flow) => sum + flow[side], 0n);
}

function boughtFor(amount: bigint): bigint {
  const pushed = push(diamond(), amount);
  if (pushed.kind !== 'filled') throw new Error(pushed.kind);
  return pushed.amountOut;
}

describe('pull', () => {
  test('the output of a push -> costs no more than its input, except that pairs round up', () => {
    forAll([anyAmount], { seed: 5 }, (amount) => {
      const network = diamond();
      const pushed = push(network, amount);
      if (pushed.kind !== 'filled') throw new Error(pushed.kind);
      const targets = new Map(pushed.flows.map((flow) => [flow.link, flow.amountOut]));
      const pulled = pull(network, targets, pushed.amountOut);
      if (pulled === undefined) throw new Error('not pulled');
      expect(pulled.amountIn).toBe(totalOf(pulled.flows, 0, 'amountIn'));
      expect(pulled.amountIn).toBeGreaterThan(0n);
      expect(pulled.amountIn).toBeLessThanOrEqual(amount + 4n);
    });
  });

  test('targets that are too high -> lowered proportionally, except on fixed links', () => {
    const network = diamond();
    const [first, second] = network.nodes[1] ?? [];
    if (first === undefined || second === undefined) throw new Error('no arcs');
    const given = (diamond: typeof network) => {
      const targets = new Map([
        [diamond.nodes[1]?.[0] ?? first, 9000n],
        [diamond.nodes[1]?.[1] ?? second, 3000n],
      ]);
      const { flows } = pull(diamond, targets, 8000n) ?? { flows: [] };
      return flows.filter(({ tokenOut }) => tokenOut === tokenOf(3)).map((flow) => flow.amountOut);
    };
    expect(given(network).sort()).toEqual([2000n, 6000n]);
    const edge = {
      nodes: [network.nodes[0] ?? [], [first, { ...second, fixed: 3000n }], []],
    };
    expect(given(edge).sort()).toEqual([3000n, 5000n]);
  });

  test('more than the pools hold -> undefined', () => {
    expect(pull(diamond(), new Map(), 10n ** 30n)).toBeUndefined();
  });
});

describe('minInputFlows', () => {
  test('a distant guess -> an input that just yields enough', () => {
    forAll([anyAmount, fc.integer({ min: 1, max: 300 })], { seed: 6 }, (amount, percent) => {
      const amountOut = boughtFor(amount);
      const guess = (amount * BigInt(percent)) / 100n + 1n;
      const flows = minInputFlows(diamond(), amountOut, guess, true) ?? [];
      expect(totalOf(flows, 3, 'amountOut')).toBeGreaterThanOrEqual(amountOut);
      // A drained pool charges many base units of input for one base unit of output.
      expect(totalOf(flows, 0, 'amountIn')).toBeLessThanOrEqual(amount + 4n + amount / 10n ** 15n);
    });
  });
});
