import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import type { Log, Payment } from '../model/scenario.ts';
import { NATIVE_TOKEN, type SwapPlan } from '../model/settlement.ts';
import type { Address, SwapKind } from '../model/trade-request.ts';
import {
  type FlowParties,
  flowsOfPools as flowsOfPayments,
  isRoundedExcess,
  isTrueFlow,
  maxExcess,
} from './pool-flows.ts';
import { transfer } from './settlements.testing.ts';
import { paymentIn, ZERO_ADDRESS } from './transfers.ts';

const [A, B, POOL, ROUTER, VAULT, C] = ['a', 'b', 'c', 'd', 'e', 'f'].map(
  (digit): Address => `0x${digit.repeat(40)}`,
) as [Address, Address, Address, Address, Address, Address];

const PARTIES = { holders: [ROUTER], native: [], untouched: [] };

const flowsOfPools = (plan: SwapPlan, logs: readonly Log[], parties: FlowParties) =>
  flowsOfPayments(
    plan,
    logs.flatMap((log) => paymentIn(log) ?? []),
    parties,
  );

function planOf(taken: bigint, given: bigint): SwapPlan {
  const [from, to] = [
    { token: A, amount: taken },
    { token: B, amount: given },
  ];
  const step = { pool: POOL, source: 'X', from: [from], to: [to] };
  return {
    sell: from,
    buy: to,
    steps: [step],
    tokens: [A, B],
    decimals: new Map(),
    transaction: undefined,
  };
}

describe('flowsOfPools', () => {
  test('a pool that takes one token and gives another -> both flows, next to the planned amounts', () => {
    const logs = [transfer(A, ROUTER, POOL, 7n), transfer(B, POOL, ROUTER, 5n)];
    expect(flowsOfPools(planOf(7n, 6n), logs, PARTIES)).toEqual([
      { pool: POOL, token: A, side: 'into', planned: 7n, moved: 7n },
      { pool: POOL, token: B, side: 'out of', planned: 6n, moved: 5n },
    ]);
  });

  test('a pool that returns part of its input -> the net amount', () => {
    const logs = [transfer(A, ROUTER, POOL, 9n), transfer(A, POOL, ROUTER, 2n)];
    expect(flowsOfPools(planOf(7n, 0n), logs, PARTIES)[0]).toMatchObject({ moved: 7n });
  });

  test('tokens in a vault -> not judged', () => {
    const logs = [transfer(A, ROUTER, VAULT, 7n), transfer(B, VAULT, ROUTER, 6n)];
    expect(flowsOfPools(planOf(7n, 6n), logs, PARTIES)).toEqual([]);
    const untouched = flowsOfPools(planOf(7n, 6n), logs, { ...PARTIES, untouched: [POOL] });
    expect(untouched).toMatchObject([{ moved: 0n }, { moved: 0n }]);
  });

  test('a payment from a pool to a treasury -> a fee; a payment to the router -> judged', () => {
    const sold = transfer(A, ROUTER, POOL, 7n);
    const bought = transfer(B, POOL, ROUTER, 6n);
    const movedBy = (...logs: readonly Log[]) =>
      flowsOfPools(planOf(7n, 6n), [sold, bought, ...logs], PARTIES).map(({ moved }) => moved);
    expect(movedBy(transfer(A, POOL, VAULT, 1n), transfer(B, POOL, VAULT, 2n))).toEqual([7n, 6n]);
    expect(movedBy(transfer(A, POOL, ROUTER, 1n), transfer(B, POOL, ROUTER, 2n))).toEqual([6n, 8n]);
    // Here, the vault swaps tokens, so it is not a treasury.
    expect(movedBy(transfer(A, POOL, VAULT, 1n), transfer(B, VAULT, POOL, 2n))).toEqual([6n, 4n]);
  });

  test('a pool that is the token of its own shares -> minted and burned shares are judged', () => {
    const minted = [transfer(A, ROUTER, B, 7n), transfer(B, ZERO_ADDRESS, ROUTER, 5n)];
    const plan = planOf(7n, 6n);
    const [first] = plan.steps;
    const vault = { ...plan, steps: first ? [{ ...first, pool: B }] : [] };
    expect(flowsOfPools(vault, minted, PARTIES)).toMatchObject([{ moved: 7n }, { moved: 5n }]);
  });

  test('shares that another contract mints or burns -> only the other token is judged', () => {
    const sold = transfer(A, ROUTER, POOL, 7n);
    const bought = transfer(B, POOL, ROUTER, 6n);
    const tokensOf = (logs: readonly Log[]) =>
      flowsOfPools(planOf(7n, 6n), logs, PARTIES).map(({ token }) => token);
    expect(tokensOf([sold, transfer(B, ZERO_ADDRESS, ROUTER, 6n)])).toEqual([A]);
    expect(tokensOf([transfer(A, ROUTER, ZERO_ADDRESS, 7n), bought])).toEqual([B]);
    expect(tokensOf([sold])).toEqual([A, B]);
  });

  describe('one contract with two pools, one of which sells to the other', () => {
    const [first] = planOf(7n, 6n).steps;
    const second = {
      pool: POOL,
      source: 'X',
      from: first?.to ?? [],
      to: [{ token: C, amount: 5n }],
    };
    const plan = { ...planOf(7n, 6n), steps: first ? [first, second] : [] };

    test('equal amounts at the ends -> amounts between the pools need not move', () => {
      const logs = [transfer(A, ROUTER, POOL, 7n), transfer(C, POOL, ROUTER, 5n)];
      expect(
        flowsOfPools(plan, logs, PARTIES).filter(({ planned, moved }) => planned !== moved),
      ).toEqual([]);
    });

    test('other amounts at the ends -> differ from the plan', () => {
      const logs = [transfer(A, ROUTER, POOL, 8n), transfer(C, POOL, ROUTER, 4n)];
      expect(flowsOfPools(plan, logs, PARTIES)).toMatchObject([
        { token: A, side: 'into', planned: 7n, moved: 8n },
        { token: B, planned: 0n, moved: 0n },
        { token: C, side: 'out of', planned: 5n, moved: 4n },
      ]);
    });
  });

  test('a token that sells its fee through the pool before the trade -> the amounts of the trade', () => {
    const logs = [
      // The token contract sells 3 for its treasury, and burns 1 of what the pool holds.
      ...[transfer(A, A, POOL, 3n), transfer(B, POOL, VAULT, 2n)],
      ...[transfer(A, POOL, ZERO_ADDRESS, 1n), transfer(A, ROUTER, POOL, 7n)],
      transfer(B, POOL, ROUTER, 6n),
    ];
    expect(flowsOfPools(planOf(7n, 6n), logs, PARTIES)).toMatchObject([
      { moved: 7n },
      { moved: 6n },
    ]);
    const toRouter = [...logs, transfer(A, POOL, ROUTER, 1n)];
    expect(flowsOfPools(planOf(7n, 6n), toRouter, PARTIES)[0]).toMatchObject({ moved: 8n });
  });

  test('two pools in one contract, one native and one wrapped -> the sum of both forms', () => {
    const plan = {
      ...planOf(7n, 6n),
      steps: [step(A, 7n, C, 5n), step(C, 5n, B, 6n)],
    };
    const wraps: Payment = { token: C, from: ZERO_ADDRESS, to: ROUTER, amount: 5n, by: 'wrap' };
    const pays = (token: Address, from: Address, to: Address, amount: bigint): Payment => ({
      ...{ token, from, to, amount, by: token === NATIVE_TOKEN ? 'native' : 'transfer' },
    });
    const movedBy = (wrappedIn: bigint) =>
      flowsOfPayments(
        plan,
        [
          ...[pays(A, ROUTER, POOL, 7n), pays(NATIVE_TOKEN, POOL, ROUTER, 5n), wraps],
          ...[pays(C, ROUTER, POOL, wrappedIn), pays(B, POOL, ROUTER, 6n)],
        ],
        PARTIES,
      ).map(({ token, moved }) => [token, moved]);
    expect(movedBy(5n)).toEqual([
      [A, 7n],
      [C, 0n],
      [B, 6n],
    ]);
    expect(movedBy(8n)).toContainEqual([C, 3n]);
  });

  test('an unwrapped token without a transfer -> may have moved as the native token; with a transfer -> judged', () => {
    const withdrawal = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';
    const unwrapped: Log = {
      address: A,
      topics: [withdrawal, '0x00'],
      data: `0x${'00'.repeat(32)}`,
    };
    const bought = transfer(B, POOL, ROUTER, 6n);
    const tokensOf = (logs: readonly Log[]) =>
      flowsOfPools(planOf(7n, 6n), logs, PARTIES).map(({ token }) => token);
    expect(tokensOf([unwrapped, bought])).toEqual([B]);
    expect(tokensOf([bought])).toEqual([A, B]);
    expect(tokensOf([unwrapped, transfer(A, ROUTER, POOL, 5n), bought])).toEqual([A, B]);
    expect(tokensOf([unwrapped, transfer(A, ROUTER, POOL, 8n), bought])).toEqual([A, B]);
  });

  test('a token that the user pays or receives as the native token -> may have moved as the native token without unwrapping', () => {
    const bought = transfer(B, POOL, ROUTER, 6n);
    expect(
      flowsOfPools(planOf(7n, 6n), [bought], { ...PARTIES, native: [A] }).map(({ token }) => token),
    ).toEqual([B]);
    const sold = transfer(A, ROUTER, POOL, 8n);
    expect(flowsOfPools(planOf(7n, 6n), [sold, bought], { ...PARTIES, native: [A] })).toHaveLength(
      2,
    );
  });

  test('events other than transfers of an amount -> ignored', () => {
    const nft: Log = { ...transfer(A, ROUTER, POOL, 1n), data: '0x' };
    expect(
      flowsOfPools(planOf(7n, 6n), [nft, { address: A, topics: [], data: '0x' }], PARTIES),
    ).toEqual([]);
  });
});

const step = (from: Address, paid: bigint, to: Address, given: bigint, pool: string = POOL) => ({
  ...{ pool, source: 'x' },
  from: [{ token: from, amount: paid }],
  to: [{ token: to, amount: given }],
});

describe('isTrueFlow', () => {
  const flow = (planned: bigint, moved: bigint) => ({
    ...{ pool: POOL, token: B, side: 'out of' as const },
    planned,
    moved,
  });

  test('exact input without tolerance -> only the planned amount', () => {
    forAll([fc.bigInt(1n, 10n ** 30n), fc.bigInt(-5n, 5n)], { seed: 1 }, (planned, difference) => {
      const moved = planned + difference;
      const isTrue = isTrueFlow(flow(planned, moved), planOf(1n, 1n), 'exact-input', 0);
      expect(isTrue).toBe(difference === 0n);
    });
  });

  const LARGE = 25n * 10n ** 18n;
  test.each<[string, SwapPlan, bigint, SwapKind, number, Record<string, boolean>]>([
    [
      '1 part per million -> that share and 2 base units, in both directions',
      ...([planOf(1n, 1n), 1_000_000n, 'exact-input', 1] as const),
      { '-4': false, '-3': true, 3: true, 4: false },
    ],
    [
      'exact output -> more by less than one base unit of input buys, never less',
      ...([planOf(1_000n, 1_000_000n), 1_000_000n, 'exact-output', 0] as const),
      { '-1': false, 0: true, 1000: true, 2000: false },
    ],
    [
      'exact output for a single base unit -> more by any amount, since that unit may buy it',
      ...([planOf(1n, 10n), 10n, 'exact-output', 0] as const),
      { '-1': false, 1003: true, 1000000: true },
    ],
    [
      'exact output for a base unit next to others -> more by up to a hundred times the planned amount',
      ...([
        { ...planOf(1n, 10n), steps: [step(A, 1n, B, 10n), step(A, 2n, C, 10n, 'pair')] },
        10n,
        'exact-output',
        0,
      ] as const),
      { 1000: true, 1003: false },
    ],
    [
      'exact output of large amounts -> more by what one base unit of input buys, to the unit',
      ...([planOf(7n * 10n ** 15n, LARGE), LARGE, 'exact-output', 0] as const),
      { 88: true, 3571: true, 3600: false },
    ],
  ])('%s', (_, plan, planned, swapKind, tolerancePpm, expected) => {
    for (const [more, isTrue] of Object.entries(expected)) {
      const moved = flow(planned, planned + BigInt(more));
      expect(isTrueFlow(moved, plan, swapKind, tolerancePpm), more).toBe(isTrue);
    }
  });
});

test('exact output on two paths through one token -> one path may take the whole excess', () => {
  const planned = 22_156_642_137n;
  const plan = {
    ...planOf(1n, 1n),
    steps: [
      step(A, 4_677_921n, C, 45_727_496_053n),
      step(A, 2_710_479n, C, planned),
      step(C, planned, B, 3_829n, 'pair'),
      step(C, 45_727_496_053n, B, 7_719n),
    ],
  };
  const isTrue = (more: bigint) =>
    isTrueFlow(
      { ...{ pool: 'pair', token: C, side: 'into', planned }, moved: planned + more },
      plan,
      'exact-output',
      0,
    );
  // The excess of one base unit at each of the two pools: 9,775 and 8,174 base units.
  expect([6_045n, 17_949n, 17_960n].map(isTrue)).toEqual([true, true, false]);
});

describe('maxExcess', () => {
  test('a tiny step next to a large one -> excuses no more than its share', () => {
    const { of, after } = maxExcess({
      steps: [step(A, 10n ** 18n, B, 10n ** 18n), step(A, 1n, B, 1n)],
    });
    expect(of(B)).toBeLessThan(2e-16);
    expect(after(step(A, 1n, B, 1n))).toBe(100);
    const planned = 10n ** 18n;
    expect(isRoundedExcess(102n, planned, of(B))).toBe(true);
    expect(isRoundedExcess(10n ** 24n, planned, of(B))).toBe(false);
  });

  test('consecutive steps -> the factor n / (n - 1) of each step, multiplied', () => {
    const { of } = maxExcess({ steps: [step(A, 5n, C, 3n), step(C, 3n, B, 90n)] });
    expect(of(A)).toBe(0);
    expect(of(C)).toBeCloseTo(5 / 4 - 1);
    expect(of(B)).toBeCloseTo((5 / 4) * (3 / 2) - 1);
  });

  test('a cycle, and a step that gives nothing -> finite', () => {
    const { of } = maxExcess({
      steps: [step(A, 5n, B, 5n), step(B, 5n, A, 5n), step(A, 2n, C, 0n)],
    });
    for (const token of [A, B, C]) expect(of(token)).toBeLessThan(10);
  });
});
