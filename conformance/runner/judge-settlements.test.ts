import { describe, expect, test } from 'vitest';
import { createClient } from '../client/client.ts';
import { answered } from '../client/exchange.testing.ts';
import { inProcess } from '../client/in-process.testing.ts';
import { RunStopped } from '../client/scheduler.ts';
import type { Executor } from '../model/executor.ts';
import type { SettlementRule } from '../model/rule.ts';
import type { EvidenceKind, SettledPlan } from '../model/settlement.ts';
import { runConformance } from './run.ts';
import type { RunOptions } from './run-options.ts';
import { tinyAnswer } from './tiny-service.testing.ts';

const settled = {
  exchange: answered({}),
  request: { router: 'default-router', sell: { symbol: 'A' }, buy: { symbol: 'B' } },
} as unknown as SettledPlan;

function rule(id: string, evidence: EvidenceKind, judge?: SettlementRule['judge']): SettlementRule {
  const needs = 'a plan';
  const identity = { id, clause: '2.1 calldata', level: 'must', title: id } as const;
  return {
    ...identity,
    kind: 'settlement',
    evidence,
    needs,
    judge: judge ?? (() => ({ findings: [] })),
  };
}

/** What a run says of rules, and what it had executed. */
async function run(rules: readonly SettlementRule[], execute?: Executor['execute']) {
  const client = createClient({ transport: inProcess(tinyAnswer), apiKey: 'k' });
  const calls: string[] = [];
  const options: RunOptions = {
    client,
    target: 'http://localhost',
    rules,
    generator: { traffic: () => [], simplify: () => [], weigh: () => 1 },
    version: 'test',
    ...(execute && {
      openExecutor: async ({ facts }) => {
        expect(facts.markets.has(7)).toBe(true);
        return {
          execute: async (kind) => {
            calls.push(kind);
            return execute(kind);
          },
          close: async () => void calls.push('closed'),
        };
      },
    }),
  };
  const report = await runConformance(options);
  await client.close();
  const outcomes = report.rules.map(({ id, outcome, checks, why }) => [id, outcome, checks, why]);
  return { calls, outcomes };
}

const two: Executor['execute'] = async () =>
  ({ kind: 'executed', items: [settled, settled], skipped: [] }) as never;

describe('settlement rules in a run', () => {
  test('rules on two kinds of evidence -> each executed once, then closed', async () => {
    const { calls, outcomes } = await run(
      [rule('a', 'as-returned'), rule('b', 'own-encoding'), rule('c', 'as-returned')],
      two,
    );
    expect(calls).toEqual(['as-returned', 'own-encoding', 'closed']);
    expect(outcomes).toEqual(['a', 'b', 'c'].map((id) => [id, 'pass', 2, undefined]));
  });

  test('nothing to execute on -> not applicable, naming the option', async () => {
    const { outcomes } = await run([rule('a', 'as-returned')]);
    expect(outcomes).toEqual([
      ['a', 'not-applicable', 0, 'no chain was forked (--fork CHAIN=RPC names a node)'],
    ]);
  });

  test('one kind stopped, another broken -> those rules alone could not run, and say why', async () => {
    const { calls, outcomes } = await run(
      [
        rule('a', 'as-returned'),
        rule('b', 'price-moved'),
        rule('c', 'own-encoding', () => {
          throw new Error('a bug');
        }),
        rule('d', 'own-encoding'),
      ],
      (kind) => {
        if (kind === 'as-returned') throw new RunStopped('the budget is spent');
        if (kind === 'price-moved') throw new TypeError('no such thing');
        return two(kind);
      },
    );
    expect(outcomes).toEqual([
      ['a', 'could-not-run', 0, 'the budget is spent'],
      ['b', 'could-not-run', 0, expect.stringMatching(/rule b is broken.*no such thing/)],
      ['c', 'could-not-run', 0, expect.stringMatching(/rule c is broken.*a bug/)],
      ['d', 'pass', 2, undefined],
    ]);
    expect(calls.at(-1)).toBe('closed');
  });
});
