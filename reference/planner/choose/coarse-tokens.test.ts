import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import type { Network } from '../graph/network.ts';
import {
  BUY,
  constraintsOf,
  faultsOf,
  marketOf,
  pairPool,
  planFor,
  rangePool,
  SELL,
  tokenOf,
  tradedSubgraph,
} from '../planner.testing.ts';
import { push } from '../settle/push.ts';
import { withoutCoarseTokens } from './coarse-tokens.ts';

/** Two paths lead to the buy token. Pools hold few base units of token 1, and many of token 2. */
function twoWays() {
  const market = marketOf([
    pairPool([0, 1], 10n ** 21n, 4_000n),
    pairPool([1, 3], 4_000n, 10n ** 21n),
    pairPool([0, 2], 10n ** 23n, 10n ** 23n),
    pairPool([2, 3], 10n ** 23n, 10n ** 23n),
  ]);
  const { arcs } = tradedSubgraph(market);
  const link = (from: number, to: number) => {
    const arc = arcs.find(
      ({ tokenIn, tokenOut }) => tokenIn === tokenOf(from) && tokenOut === tokenOf(to),
    );
    if (arc === undefined) throw new Error('no such arc');
    return { arc, to, weight: from === 0 && to === 1 ? 1n : 9n };
  };
  const network: Network = { nodes: [[link(0, 1), link(0, 2)], [link(1, 3)], [link(2, 3)], []] };
  return { market, network };
}

const anyAmount = fc.bigInt({ min: 10n ** 20n, max: 10n ** 22n });

describe('push with savesWaste', () => {
  test('few base units -> no pool takes more than its output costs, and nothing is lost', () => {
    const { network } = twoWays();
    forAll([anyAmount], { seed: 21 }, (amount) => {
      const [plain, spared] = [push(network, amount, false), push(network, amount)];
      if (plain.kind !== 'filled' || spared.kind !== 'filled') throw new Error('not filled');
      const into = (flows: typeof plain.flows, token: number) =>
        flows.find(({ tokenIn, tokenOut }) => tokenIn === SELL && tokenOut === tokenOf(token));
      const [coarse, before] = [into(spared.flows, 1), into(plain.flows, 1)];
      expect(coarse?.amountOut).toBe(before?.amountOut);
      expect(coarse?.amountIn ?? 0n).toBeLessThanOrEqual(before?.amountIn ?? 0n);
      const sold = (coarse?.amountIn ?? 0n) + (into(spared.flows, 2)?.amountIn ?? 0n);
      expect(sold).toBe(amount);
      expect(spared.amountOut).toBeGreaterThanOrEqual(plain.amountOut);
    });
  });

  test('a node without another link -> the whole input enters its pool', () => {
    const { network } = twoWays();
    const [sale = [], ...rest] = network.nodes;
    const alone = { nodes: [sale.slice(0, 1), ...rest] };
    expect(push(alone, 10n ** 20n)).toEqual(push(alone, 10n ** 20n, false));
  });
});

describe('withoutCoarseTokens', () => {
  const flowsOf = (network: Network) => {
    const pushed = push(network, 10n ** 20n);
    return pushed.kind === 'filled' ? pushed.flows : [];
  };

  test('an intermediate token with few base units -> only the other paths', () => {
    const { network } = twoWays();
    const [sale = [], , second = []] = network.nodes;
    expect(withoutCoarseTokens(network, flowsOf(network))).toEqual([
      { nodes: [sale.slice(1), [], second, []] },
    ]);
  });

  test('nodes that lead only to the coarse node, or are reached only through it -> removed too', () => {
    const { network } = twoWays();
    const [sale = [], coarse = [], second = []] = network.nodes;
    const [first, other] = sale;
    const [onward] = coarse;
    if (first === undefined || other === undefined || onward === undefined) throw new Error('none');
    // Node 1 leads to the coarse node 2, the only node that leads to node 3.
    const longer: Network = {
      nodes: [
        [first, { ...other, to: 4 }],
        [{ ...first, to: 2 }],
        [{ ...onward, to: 3 }],
        [{ ...onward, to: 5 }],
        second.map((link) => ({ ...link, to: 5 })),
        [],
      ],
    };
    const flows = [{ ...flowsOf(network)[0], link: { ...first, to: 2 }, amountOut: 5n }] as never;
    const [left] = withoutCoarseTokens(longer, flows);
    expect(left?.nodes.map((links) => links.map(({ to }) => to))).toEqual([
      [4],
      [],
      [],
      [],
      [5],
      [],
    ]);
  });

  test('no path around the coarse node -> no variants', () => {
    const { network } = twoWays();
    const [sale = [], ...rest] = network.nodes;
    const alone = { nodes: [sale.slice(0, 1), ...rest] };
    expect(withoutCoarseTokens(alone, flowsOf(alone))).toEqual([]);
  });
});

test.each(['graph', 'paths'] as const)(
  'plans through tokens with few base units, %s -> near the bound',
  (topology) => {
    const { market } = twoWays();
    const constraints = constraintsOf(market, topology);
    forAll([anyAmount], { seed: 22 }, (amount) => {
      const sold = planFor(market, 'exact-input', amount, { constraints });
      if (sold.kind !== 'plan') throw new Error(sold.reason);
      expect(sold.proof.gap).toBeLessThan(1e-5);
      const bought = planFor(market, 'exact-output', sold.buyAmount, { constraints });
      if (bought.kind !== 'plan') throw new Error(bought.reason);
      expect([...faultsOf(sold), ...faultsOf(bought)]).toEqual([]);
      expect(Number(bought.sellAmount) / Number(amount) - 1).toBeLessThan(1e-6);
      expect(bought.swaps.at(-1)?.tokenOut).toBe(BUY);
    });
  },
);

test.each(['graph', 'paths'] as const)(
  'a fee that rounds up to one base unit of a coarse token, %s -> other paths',
  (topology) => {
    const market = marketOf([
      pairPool([0, 1], 10n ** 21n, 4_000n),
      // This pool holds about 4,000 base units of one token against 1e21 of the other, and rounds
      // its fee up.
      rangePool([1, 3], 400_900, 2n * 10n ** 13n),
      ...[1, 2].map(() => pairPool([0, 3], 10n ** 23n, 10n ** 23n)),
    ]);
    const constraints = constraintsOf(market, topology);
    forAll([fc.bigInt({ min: 10n ** 20n, max: 4n * 10n ** 20n })], { seed: 23 }, (amount) => {
      const sold = planFor(market, 'exact-input', amount, { constraints });
      if (sold.kind !== 'plan') throw new Error(sold.reason);
      expect(sold.swaps.map(({ tokenOut }) => tokenOut)).toEqual([BUY, BUY]);
      const bought = planFor(market, 'exact-output', sold.buyAmount, { constraints });
      if (bought.kind !== 'plan') throw new Error(bought.reason);
      expect(bought.sellAmount).toBeLessThanOrEqual(amount);
    });
  },
);
