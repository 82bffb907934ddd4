import { expect, test } from 'vitest';
import { modelSession } from '../model/model-service.testing.ts';
import type { ProbeRule } from '../model/rule.ts';
import { runProbe } from '../model/verdict.testing.ts';
import { CATALOG } from '../rules/catalog.ts';

const rules = CATALOG.filter(
  (rule): rule is ProbeRule =>
    (rule.kind === 'probe' || rule.kind === 'relation') &&
    /^relation\/(exact-output|more-in|price)/.test(rule.id),
);

async function requestsOf(judging: readonly ProbeRule[], shares: boolean): Promise<number> {
  const session = modelSession();
  const results = new Map<string, Promise<unknown>>();
  const share = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const result = (results.get(name) as Promise<T> | undefined) ?? work();
    results.set(name, result);
    return result;
  };
  for (const rule of judging) {
    const verdict = await runProbe(rule, { ...session, ...(shares && { share }) });
    expect(verdict.kind, rule.id).toBe('judged');
  }
  return session.sent.length;
}

test.each([1, 2])(
  'plans that sell nothing, from plan %i of each pair on -> not compared, so no rule can run',
  async (from) => {
    const plans = new Map<string, number>();
    const session = modelSession((reply, { path, params }) => {
      const requested = new Map(params);
      const pair = `${requested.get('sellToken')} ${requested.get('buyToken')}`;
      if (!path.endsWith('/swap') || reply.status !== 200) return reply;
      plans.set(pair, (plans.get(pair) ?? 0) + 1);
      if ((plans.get(pair) ?? 0) < from) return reply;
      return { ...reply, body: { ...reply.body, sell: { ...reply.body.sell, amount: '0' } } };
    });
    for (const rule of rules) {
      expect(await runProbe(rule, session), rule.id).toMatchObject({
        kind: rule.level === 'observe' ? 'not-applicable' : 'could-not-run',
        why: 'no request returned a plan again',
      });
    }
  },
);

test('four rules on amounts that share replies -> send no more requests than one rule', async () => {
  expect(rules).toHaveLength(4);
  const ofOne = await requestsOf(rules.slice(0, 1), false);
  expect(await requestsOf(rules, true)).toBe(ofOne);
  expect(await requestsOf(rules, false)).toBe(4 * ofOne);
});
