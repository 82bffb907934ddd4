import { describe, expect, test } from 'vitest';
import type { Failure, RuleResult } from '../model/report.ts';
import { CATALOG } from '../rules/catalog.ts';
import { explainingRules, withConsequences } from './consequences.ts';

type Shown = {
  readonly in: readonly number[] | 'too many';
  readonly waived?: true;
  /** Number of failures of the rule. Default 1. */
  readonly ways?: number;
};

/** Returns the failures that follow from others, as `rule<-cause`. */
function followers(failures: Readonly<Record<string, Shown>>): readonly string[] {
  const exchanges = new Map<Failure, readonly number[]>();
  const rules = Object.entries(failures).map(([id, shown]): RuleResult => {
    const failures = Array.from({ length: shown.ways ?? 1 }, (_, way): Failure => {
      const failure: Failure = {
        ...{ fault: 'fault', symptom: id, cause: `${id}#${way}` },
        ...{ expected: 'a', actual: 'b', curl: '', count: 1, since: 1 },
        exchange: { id: 1, method: 'GET', target: '/', excerpt: '', durationMs: 1 },
        ...(shown.waived && { waiver: { reason: 'known', expires: '2999-01-01' } }),
      };
      if (shown.in !== 'too many') exchanges.set(failure, shown.in);
      return failure;
    });
    const level = 'must';
    return { id, clause: '1', level, title: id, outcome: 'fail', checks: 1, failures };
  });
  return withConsequences(rules, (failure) => exchanges.get(failure)).flatMap(({ id, failures }) =>
    failures.flatMap(({ followsFrom }) => (followsFrom ? [`${id}<-${followsFrom.rule}`] : [])),
  );
}

const settles = 'execution/settles';
const sellToken = 'swap/sell-token-echoed';
const buyToken = 'swap/buy-token-echoed';

describe('withConsequences', () => {
  test('a trade whose plan sells a wrong token -> its failure follows from that', () => {
    expect(followers({ [settles]: { in: [7] }, [sellToken]: { in: [3, 7] } })).toEqual([
      `${settles}<-${sellToken}`,
    ]);
  });

  test('a failure that a correct plan shows too -> follows from nothing', () => {
    expect(followers({ [settles]: { in: [7, 8] }, [sellToken]: { in: [3, 7] } })).toEqual([]);
  });

  test('two causes that explain all replies only together -> the one that explains more', () => {
    expect(
      followers({
        [settles]: { in: [1, 2, 3] },
        // Several faults in one reply count once.
        [sellToken]: { in: [1, 1] },
        [buyToken]: { in: [2, 3] },
      }),
    ).toEqual([`${settles}<-${buyToken}`]);
  });

  test('two causes that explain equally many replies -> the one of the earlier stage', () => {
    expect(
      followers({
        [settles]: { in: [1, 2] },
        'plan/acyclic': { in: [1] },
        [sellToken]: { in: [2] },
      }),
    ).toEqual([`${settles}<-${sellToken}`]);
  });

  test('every reply fails every rule in 40 ways -> all follow from the first rule, in time', () => {
    const shown = { in: Array.from({ length: 1_000 }, (_, id) => id), ways: 40 };
    const all = followers(Object.fromEntries(explainingRules().map((id) => [id, shown])));
    const [first] = explainingRules();
    expect(new Set(all.map((line) => line.split('<-')[1]))).toEqual(new Set([first]));
    // The first stage has 14 of the rules, which follow from nothing.
    expect(all).toHaveLength(40 * (explainingRules().length - 14));
  });

  test('failures of one stage -> neither follows from the other', () => {
    expect(followers({ [sellToken]: { in: [1] }, [buyToken]: { in: [1] } })).toEqual([]);
  });

  test('a fault that cannot spoil a trade, such as a missing content type -> explains nothing', () => {
    expect(followers({ [settles]: { in: [1] }, 'endpoint/content-type': { in: [1] } })).toEqual([]);
  });

  test('a waived failure -> neither explains nor follows', () => {
    const waived = true;
    expect(followers({ [settles]: { in: [1] }, [sellToken]: { in: [1], waived } })).toEqual([]);
    expect(followers({ [settles]: { in: [1], waived }, [sellToken]: { in: [1] } })).toEqual([]);
  });

  test('more replies than are recorded -> follows from nothing', () => {
    expect(followers({ [settles]: { in: 'too many' }, [sellToken]: { in: [1] } })).toEqual([]);
  });

  test('every rule that explains others -> exists, and is a `must`', () => {
    const musts = CATALOG.filter(({ level }) => level === 'must').map(({ id }) => id);
    expect(explainingRules().filter((id) => !musts.includes(id))).toEqual([]);
  });
});
