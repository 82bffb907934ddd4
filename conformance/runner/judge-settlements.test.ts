import { describe, expect, test } from 'vitest';
import { SYSTEM_CLOCK } from '../client/clock.ts';
import { exchangeWith } from '../client/exchange.testing.ts';
import { RunStopped } from '../client/scheduler.ts';
import type { Executor, SkippedPlan } from '../model/executor.ts';
import type { Check, SettlementRule } from '../model/rule.ts';
import type { EvidenceKind, SettledPlan } from '../model/settlement.ts';
import { words } from '../model/statement.ts';
import { faultUnless } from '../rule-kit/faults.ts';
import { correctTrade, NAMED, request, reverted } from '../rule-kit/settlements.testing.ts';
import { CATALOG } from '../rules/catalog.ts';
import { verdictOnExecution } from './judge-execution.testing.ts';
import { judgeService, NO_TRAFFIC } from './judge-service.testing.ts';
import { tinyAnswer } from './tiny-service.testing.ts';

const settled = {
  exchange: exchangeWith({}),
  request: { router: 'default-router', sell: { symbol: 'A' }, buy: { symbol: 'B' } },
} as unknown as SettledPlan;

function rule(id: string, evidence: EvidenceKind, check?: SettlementRule['check']): SettlementRule {
  const needs = 'a plan';
  const identity = { id, clause: '2.1 calldata', level: 'must', title: id } as const;
  return {
    ...identity,
    kind: 'settlement',
    evidence,
    needs,
    check: check ?? ((_, t) => t.check()),
  };
}

async function run(rules: readonly SettlementRule[], execute?: Executor['execute']) {
  const calls: string[] = [];
  const { report } = await judgeService(tinyAnswer, {
    rules,
    generator: NO_TRAFFIC,
    // Executing the plans for one kind of evidence takes 30 ms; everything else takes no time.
    clock: { ...SYSTEM_CLOCK, now: () => 30 * calls.length },
    ...(execute && {
      openExecutor: async ({ facts }) => {
        expect(facts.markets.has(7)).toBe(true);
        return {
          execute: async (kind) => {
            const done = await execute(kind);
            calls.push(kind);
            return done;
          },
          confirm: async (item) => item,
          vary: async () => [],
          explain: async () => undefined,
          remarks: () => [],
          close: async () => void calls.push('closed'),
        };
      },
    }),
  });
  const outcomes = report.rules.map(({ id, outcome, checks, why }) => [id, outcome, checks, why]);
  return { calls, outcomes, took: report.rules.map(({ durationMs }) => durationMs) };
}

describe('confirming failures', () => {
  const fails = rule('a', 'as-returned', ((item: SettledPlan, t: Check) =>
    t.check(
      faultUnless(item.effects.kind === 'settled', 'reverted', words`settles`, words`reverts`),
    )) as never);
  const failing = { ...correctTrade, effects: reverted };
  const judged = async (items: readonly SettledPlan[], confirm: Executor['confirm']) => {
    const { report } = await judgeService(tinyAnswer, {
      rules: [fails],
      generator: NO_TRAFFIC,
      openExecutor: async () => ({
        execute: async () => ({ kind: 'executed', items, skipped: [] }) as never,
        confirm,
        vary: async () => [{ changed: 'a block', item: correctTrade }] as never,
        explain: async () => undefined,
        remarks: () => [],
        close: async () => {},
      }),
    });
    return report;
  };

  test('a failure that does not occur again -> not reported', async () => {
    const { rules } = await judged([failing], async () => correctTrade as never);
    expect(rules).toMatchObject([{ outcome: 'pass', failures: [] }]);
  });

  test('a failure that occurs again -> the circumstances that matter are named', async () => {
    const { rules } = await judged([failing], async (item) => item);
    const [failure] = rules[0]?.failures ?? [];
    expect(failure?.actual).toMatch(/^reverts .*, only for a block$/);
  });

  test('a failure whose block is gone -> no finding, but the rule does not pass', async () => {
    const { rules, verdict } = await judged([failing, correctTrade], async () => undefined);
    expect(verdict).toBe('incomplete');
    expect(rules).toMatchObject([
      {
        outcome: 'could-not-run',
        failures: [],
        why: expect.stringMatching(
          /^1 failure could not be confirmed, since the node no longer settled the trade: reverts/,
        ),
      },
    ]);
  });

  test('one of two failures with the same cause can be settled again -> one finding, and a remark', async () => {
    const other = { ...failing };
    const { rules, notJudged } = await judged([failing, other], async (item) =>
      (item as object) === other ? item : undefined,
    );
    expect(rules).toMatchObject([{ outcome: 'fail', failures: [{}] }]);
    expect(notJudged).toContainEqual({
      why: expect.stringMatching(/^a: 1 failure could not be confirmed/),
      rules: [],
    });
  });
});

test('the time runs out while plans are executed and their nodes hang -> the run ends anyway', async () => {
  const hang = () => new Promise<never>(() => {});
  const { report } = await judgeService(tinyAnswer, {
    maxTimeMs: 300,
    rules: [rule('execution/settles', 'as-returned')],
    openExecutor: async () => ({
      execute: hang,
      confirm: hang,
      vary: hang,
      explain: hang,
      remarks: () => [],
      close: hang,
    }),
  });
  expect(report.rules).toMatchObject([
    { outcome: 'could-not-run', why: 'the budget of 0.3 s is spent' },
  ]);
});

test('the time runs out while a failure is confirmed -> the rules that were judged keep their verdicts', async () => {
  const fault = { fault: 'f', expected: words`this`, actual: words`that` };
  const rules = [
    rule('a', 'as-returned', (_, t) => t.check()),
    rule('b', 'as-returned', (_, t) => t.check(fault)),
    rule('c', 'as-returned', (_, t) => t.check()),
    rule('d', 'price-moved', (_, t) => t.check()),
  ];
  const { report } = await judgeService(tinyAnswer, {
    ...{ maxTimeMs: 200, rules, generator: NO_TRAFFIC },
    openExecutor: async () => ({
      execute: two,
      confirm: () => new Promise<never>(() => {}),
      vary: async () => [],
      explain: async () => undefined,
      remarks: () => [],
      close: async () => {},
    }),
  });
  expect(report.rules.map(({ outcome }) => outcome)).toEqual([
    'pass',
    'could-not-run',
    'pass',
    'pass',
  ]);
  expect(report.rules[1]?.why).toContain('the budget of 0.2 s is spent');
});

test('no executor can be opened -> settlement rules could not run, with the reason; others are judged', async () => {
  const { report } = await judgeService(tinyAnswer, {
    rules: [
      rule('a', 'as-returned'),
      rule('b', 'through-pools'),
      ...CATALOG.filter(({ id }) => id === 'chain/name'),
    ],
    openExecutor: () => {
      throw new Error('the fork failed');
    },
  });
  const why = 'no plan could be executed: the fork failed';
  expect(report.verdict).toBe('incomplete');
  expect(report.rules).toMatchObject([
    { outcome: 'could-not-run', why },
    { outcome: 'could-not-run', why },
    { outcome: 'pass' },
  ]);
});

describe('an executor that does not work as it should', () => {
  const hang = () => new Promise<never>(() => {});
  const rules = [rule('execution/settles', 'as-returned')];

  test('never opens -> the run ends in time, and closes the executor if it opens later', async () => {
    let openLate = (_: Executor) => {};
    const { report } = await judgeService(tinyAnswer, {
      ...{ maxTimeMs: 200, rules, generator: NO_TRAFFIC },
      openExecutor: () =>
        new Promise<Executor>((resolve) => {
          openLate = resolve;
        }),
    });
    expect(report.rules).toMatchObject([
      { outcome: 'could-not-run', why: 'the budget of 0.2 s is spent' },
    ]);
    const closed = new Promise<void>((resolve) => {
      openLate({ ...executor, close: async () => resolve() });
    });
    await closed;
  });

  test('cannot be closed -> the verdicts stay, and the report names the reason', async () => {
    const { report } = await judgeService(tinyAnswer, {
      ...{ rules, generator: NO_TRAFFIC },
      openExecutor: async () => ({
        ...executor,
        close: () => Promise.reject(new Error('no such process')),
      }),
    });
    expect(report.rules).toMatchObject([{ outcome: 'pass' }]);
    expect(report.verdict).toBe('conforming');
    expect(report.notJudged).toContainEqual({
      why: expect.stringContaining('no such process'),
      rules: [],
    });
  });

  const executor: Executor = {
    execute: two as Executor['execute'],
    ...{ confirm: hang, vary: hang, explain: hang },
    remarks: () => [],
    close: async () => {},
  };
});

test('a fork, but only rules on replies selected -> the verdict names the replies that were not judged', async () => {
  const { report } = await judgeService(tinyAnswer, {
    only: ['chain/name'],
    profile: 'quick',
    openExecutor: () => Promise.reject(new Error('nothing is settled')),
  });
  expect(report.reason).toContain(
    'the replies that settlement rules would have requested, since these rules were not selected',
  );
});

const two: Executor['execute'] = async () =>
  ({ kind: 'executed', items: [settled, settled], skipped: [] }) as never;

describe('settlement rules in a run', () => {
  test('rules on two kinds of evidence -> each kind is executed once, and its rules share the time', async () => {
    const { calls, outcomes, took } = await run(
      [rule('a', 'as-returned'), rule('b', 'through-pools'), rule('c', 'as-returned')],
      two,
    );
    expect(took).toEqual([15, 30, 15]);
    expect(calls).toEqual(['as-returned', 'through-pools', 'closed']);
    expect(outcomes).toEqual(['a', 'b', 'c'].map((id) => [id, 'pass', 2, undefined]));
  });

  test.each([
    ['quick', [{ why: 'a: no settlement showed a plan', rules: [] }]],
    ['standard', []],
  ] as const)(
    'profile %s, no settlement to judge -> listed as not judged: %j',
    async (profile, notJudged) => {
      const { report } = await judgeService(tinyAnswer, {
        rules: [rule('a', 'as-returned', () => undefined)],
        generator: NO_TRAFFIC,
        profile,
        openExecutor: async () => ({
          execute: two,
          confirm: async (item) => item,
          vary: async () => [],
          explain: async () => undefined,
          remarks: () => [],
          close: async () => {},
        }),
      });
      expect(report.rules).toMatchObject([{ outcome: 'not-applicable' }]);
      expect(report.notJudged).toEqual(notJudged);
    },
  );

  test('no fork -> not applicable, with the option to pass', async () => {
    const { outcomes } = await run([rule('a', 'as-returned')]);
    expect(outcomes).toEqual([
      ['a', 'not-applicable', 0, 'calldata was not executed: pass --fork CHAIN=RPC'],
    ]);
  });

  test('no fork, but one is required -> could not run, so the run is incomplete', async () => {
    const { report } = await judgeService(tinyAnswer, {
      rules: [rule('a', 'as-returned')],
      generator: NO_TRAFFIC,
      requireFork: true,
    });
    expect(report).toMatchObject({
      verdict: 'incomplete',
      reason:
        '1 `must` rule could not run: a. Why: calldata was not executed: pass --fork CHAIN=RPC.',
      notJudged: [{ why: 'calldata was not executed', needs: '--fork CHAIN=RPC', rules: ['a'] }],
    });
  });

  test('one kind of evidence is stopped, another throws -> only their rules could not run, with the reason', async () => {
    const { calls, outcomes } = await run(
      [
        rule('a', 'as-returned'),
        rule('b', 'price-moved'),
        rule('c', 'through-pools', () => {
          throw new Error('a bug');
        }),
        rule('d', 'through-pools'),
      ],
      (kind) => {
        if (kind === 'as-returned') throw new RunStopped('the budget is spent');
        if (kind === 'price-moved') throw new TypeError('no such thing');
        return two(kind);
      },
    );
    expect(outcomes).toEqual([
      ['a', 'could-not-run', 0, 'the budget is spent'],
      ['b', 'could-not-run', 0, expect.stringMatching(/rule b itself failed.*no such thing/)],
      ['c', 'could-not-run', 0, expect.stringMatching(/rule c itself failed.*a bug/)],
      ['d', 'pass', 2, undefined],
    ]);
    expect(calls.at(-1)).toBe('closed');
  });
});

describe('judgeExecution', () => {
  const fails = rule('a', 'as-returned', (item, t) =>
    t.check(
      'effects' in item && item.effects.kind === 'settled'
        ? undefined
        : { fault: 'f', expected: ['e'], actual: ['a'] },
    ),
  );
  const judge = (
    items: readonly object[],
    skipped: readonly SkippedPlan[] = [],
    judging = fails,
    wanted: ReadonlyMap<string, string> = new Map(),
  ) =>
    verdictOnExecution(
      judging,
      { kind: 'executed', items: items as SettledPlan[], skipped, wanted },
      { tolerancePpm: 0 },
    );

  test('nothing executed -> reported with its reason', () => {
    const execution = { kind: 'could-not-run', why: 'the node is gone' } as const;
    expect(verdictOnExecution(fails, execution, { tolerancePpm: 0 })).toBe(execution);
  });

  test('skipped plans -> reported next to the verdict, or as the reason why there is none', () => {
    const skipped = ['SLD cannot be funded', 'too many transfers'].map(
      (reason): SkippedPlan => ({ trade: 'a trade', kind: 'not-funded', reason }),
    );
    const judged = { kind: 'judged', checks: 1, findings: [], observed: [] };
    const observed = '2 not judged, such as a trade: SLD cannot be funded';
    expect(judge([correctTrade])).toEqual(judged);
    expect(judge([correctTrade], skipped)).toEqual({
      ...judged,
      observed: [{ text: observed, times: 1 }],
    });
    const observing = { ...fails, observe: (items: readonly unknown[]) => `${items.length} seen` };
    expect(judge([correctTrade], skipped, observing)).toEqual({
      ...judged,
      observed: [
        { text: '1 seen', times: 1 },
        { text: observed, times: 1 },
      ],
    });
    expect(judge([], skipped)).toEqual({
      kind: 'not-applicable',
      why: 'no settlement showed a plan (2 not judged, such as a trade: SLD cannot be funded)',
    });
    expect(judge([])).toEqual({ kind: 'not-applicable', why: 'no settlement showed a plan' });
  });

  test('a plan for other tokens, which was not settled -> breaks the rule that trades settle, and no other', () => {
    const exchange = exchangeWith({});
    const reason = 'the plan sells 0xa instead of 0xb';
    const skipped: SkippedPlan[] = [{ trade: 'A to B', kind: 'wrong-token', reason, exchange }];
    const judge = (tested: SettlementRule) =>
      verdictOnExecution(
        tested,
        { kind: 'executed', items: [settled], skipped },
        { tolerancePpm: 0 },
      );
    const settles = { ...rule('a', 'as-returned'), failsForWrongTokens: true } as const;
    expect(judge(settles)).toMatchObject({
      findings: [{ fault: 'wrong-token', exchange }],
    });
    expect(judge(rule('b', 'as-returned'))).toMatchObject({ findings: [] });
  });

  test('trades that a rule cannot judge -> counted with the reason; if there are no others, or if a trade itself is the reason, could not run', () => {
    const judging = rule('a', 'as-returned', (item, t) =>
      'untraced' in item && item.untraced !== undefined ? t.stuck(item.untraced) : t.check(),
    );
    const untraced = { ...correctTrade, untraced: 'it uses more gas' };
    const open =
      '1 not judged, such as exact-input "SELL" to "BUY" on default-router, tolerance 0.01: it uses more gas';
    expect(judge([correctTrade, untraced], [], judging)).toEqual({
      ...{ kind: 'judged', checks: 1, findings: [] },
      observed: [{ text: open, times: 1 }],
    });
    expect(judge([correctTrade, { ...untraced, isUntraceable: true }], [], judging)).toEqual({
      kind: 'could-not-run',
      why: open,
    });
    expect(judge([untraced], [], judging)).toEqual({
      kind: 'could-not-run',
      why: `no settlement showed a plan (${open})`,
    });
  });

  test('a wanted kind of trade that was not judged -> could not run, unless there are failures', () => {
    const [kind, other] = [
      'exact-input on default-router of chain 31337',
      'exact-output on default-router of chain 31337',
    ];
    const wanted = new Map([
      [kind, 'all stood still'],
      [other, 'a pool is a vault'],
    ]);
    const open = { kind: 'could-not-run', why: `not judged: ${other} (a pool is a vault)` };
    expect(judge([correctTrade], [], fails, wanted)).toEqual(open);
    expect(judge([], [], fails, new Map([[other, 'a pool is a vault']]))).toEqual(open);
    expect(judge([{ ...correctTrade, effects: reverted }], [], fails, wanted)).toMatchObject({
      kind: 'judged',
      findings: [{}],
    });
    expect(judge([correctTrade], [], fails, new Map([[kind, 'all stood still']]))).toMatchObject({
      kind: 'judged',
    });
  });

  test('a fault in every plan -> every failure is counted', () => {
    const broken = Array.from({ length: 12 }, () => ({ ...correctTrade, effects: reverted }));
    const verdict = judge([...broken, correctTrade]);
    expect(verdict).toMatchObject({ kind: 'judged', checks: 13 });
    expect(verdict.kind === 'judged' && verdict.findings.length).toBe(12);
  });

  test.each([
    ['tolerance 0.01', {}],
    [
      `tolerance 0.01, requested for ${NAMED.SPARE}`,
      { request: { ...request, wallet: NAMED.SPARE } },
    ],
    ['price moved by 0.01, tolerance 0.005', { toleranceBps: 50, movedBps: 100 }],
  ])('a fault -> the finding describes the trade (%s), and has its exchange', (words, change) => {
    const verdict = judge([{ ...correctTrade, effects: reverted, ...change }]);
    const note = ` (exact-input "SELL" to "BUY" on default-router, ${words})`;
    expect(verdict).toMatchObject({
      findings: [
        {
          expected: ['e'],
          actual: ['a', { kind: 'text', text: note }],
          exchange: correctTrade.exchange,
        },
      ],
    });
  });
});
