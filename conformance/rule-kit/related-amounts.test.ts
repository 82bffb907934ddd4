import { expect, test } from 'vitest';
import { modelSession } from '../model/model-service.testing.ts';
import type { ProbeRule } from '../model/rule.ts';
import { CATALOG } from '../rules/catalog.ts';

const rules = CATALOG.filter(
  (rule): rule is ProbeRule =>
    'run' in rule && /^relation\/(exact-output|more-in|price)/.test(rule.id),
);

/** Returns the number of requests of the rules on amounts, which share work if `shares`. */
async function requestsOf(judging: readonly ProbeRule[], shares: boolean): Promise<number> {
  const session = modelSession();
  const results = new Map<string, Promise<unknown>>();
  const share = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const result = (results.get(name) as Promise<T> | undefined) ?? work();
    results.set(name, result);
    return result;
  };
  for (const rule of judging) {
    const verdict = await rule.run({ ...session, ...(shares && { share }) });
    expect(verdict.kind, rule.id).toBe('judged');
  }
  return session.sent.length;
}

test('four rules on amounts that share replies -> the requests of one', async () => {
  expect(rules).toHaveLength(4);
  const ofOne = await requestsOf(rules.slice(0, 1), false);
  expect(await requestsOf(rules, true)).toBe(ofOne);
  expect(await requestsOf(rules, false)).toBe(4 * ofOne);
});
