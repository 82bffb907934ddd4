import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { leastInputFlows } from './least-input.ts';
import { divide, type Network, pull, push } from './network.ts';
import { hopsBetween, poolGraphOf } from './pool-graph.ts';
import { marketOf, pairPool, rangePool, tokenOf } from './routing.testing.ts';

/** Two pools into token 1, two out of it; the second pair is so small that it ends. */
function diamond(): Network {
  const market = marketOf([
    pairPool([0, 1], 10n ** 21n, 10n ** 21n),
    rangePool([0, 1], 0, 10n ** 22n),
    pairPool([1, 3], 10n ** 21n, 10n ** 21n),
    rangePool([1, 3], 0, 10n ** 18n),
  ]);
  const graph = poolGraphOf(market, new Set(['Test']));
  const hops = hopsBetween(graph, tokenOf(0), tokenOf(3));
  const arcs = (token: number, to: number) =>
    hops
      .filter((hop) => hop.tokenIn === tokenOf(token))
      .map((hop, index) => ({ hop, to, weight: index === 0 ? 3n : 1n }));
  return { nodes: [arcs(0, 1), arcs(1, 2), []] };
}

const anyAmount = fc.bigInt({ min: 1000n, max: 10n ** 21n });

describe('push', () => {
  test('any amount -> every node passes on all it gets, also where a pool ends', () => {
    fc.assert(
      fc.property(anyAmount, (amount) => {
        const pushed = push(diamond(), amount);
        if (pushed.kind !== 'filled') throw new Error(pushed.kind);
        const sum = (token: number, side: 'amountIn' | 'amountOut') =>
          pushed.flows
            .filter(
              (flow) => (side === 'amountIn' ? flow.tokenIn : flow.tokenOut) === tokenOf(token),
            )
            .reduce((total, flow) => total + flow[side], 0n);
        expect(sum(0, 'amountIn')).toBe(amount);
        expect(sum(1, 'amountIn')).toBe(sum(1, 'amountOut'));
        expect(sum(3, 'amountOut')).toBe(pushed.amountOut);
      }),
      { seed: 4 },
    );
  });

  test('more than the first pools take -> exhausted', () => {
    expect(push(diamond(), 2n ** 120n)).toEqual({ kind: 'exhausted' });
  });

  test('one base unit -> dust', () => {
    expect(push(diamond(), 1n)).toEqual({ kind: 'dust' });
  });
});

describe('pull', () => {
  test('what push gave -> costs no more than went in, but for pairs rounding up', () => {
    fc.assert(
      fc.property(anyAmount, (amount) => {
        const network = diamond();
        const pushed = push(network, amount);
        if (pushed.kind !== 'filled') throw new Error(pushed.kind);
        const targets = new Map(pushed.flows.map((flow) => [flow.arc, flow.amountOut]));
        const flows = pull(network, targets, pushed.amountOut) ?? [];
        const cost = flows
          .filter(({ tokenIn }) => tokenIn === tokenOf(0))
          .reduce((sum, { amountIn }) => sum + amountIn, 0n);
        expect(cost).toBeGreaterThan(0n);
        expect(cost).toBeLessThanOrEqual(amount + 4n);
      }),
      { seed: 5 },
    );
  });

  test('more than the pools hold -> undefined', () => {
    expect(pull(diamond(), new Map(), 10n ** 30n)).toBeUndefined();
  });
});

describe('leastInputFlows', () => {
  test('a guess that is far off -> an input that just yields enough', () => {
    fc.assert(
      fc.property(anyAmount, fc.integer({ min: 1, max: 300 }), (amount, percent) => {
        const network = diamond();
        const pushed = push(network, amount);
        if (pushed.kind !== 'filled') throw new Error(pushed.kind);
        const guess = (amount * BigInt(percent)) / 100n + 1n;
        const flows = leastInputFlows(network, pushed.amountOut, guess) ?? [];
        const total = (token: number, side: 'amountIn' | 'amountOut') =>
          flows
            .filter(
              (flow) => (side === 'amountIn' ? flow.tokenIn : flow.tokenOut) === tokenOf(token),
            )
            .reduce((sum, flow) => sum + flow[side], 0n);
        expect(total(3, 'amountOut')).toBeGreaterThanOrEqual(pushed.amountOut);
        // Shares are rounded, so output may fall by a base unit where input rises by one,
        // and where the pools are drained a base unit of output costs many of input.
        expect(total(0, 'amountIn')).toBeLessThanOrEqual(amount + 4n + amount / 10n ** 15n);
      }),
      { seed: 6 },
    );
  });
});

describe('divide', () => {
  test('any weights -> whole numbers that sum to the total', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 128n }),
        fc.array(fc.bigInt({ min: 1n, max: 2n ** 48n }), { minLength: 1, maxLength: 6 }),
        (total, weights) => {
          const parts = divide(total, weights);
          expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(total);
          expect(parts.every((part) => part >= 0n)).toBe(true);
        },
      ),
      { seed: 7 },
    );
  });
});
