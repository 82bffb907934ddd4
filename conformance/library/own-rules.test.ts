import { describe, expect, test } from 'vitest';
import type { ServiceChange } from '../model/breaks.ts';
import { given, goldenChains } from '../model/golden-replies.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { ProbeRule, ReplyRule } from '../model/rule.ts';
import { openTally } from '../model/tally.ts';
import { on, respond, written } from '../rule-kit/service-breaks.ts';
import { Ledger } from '../runner/ledger.ts';
import { defineRule, type OwnFault } from './define-rule.ts';
import { readOwnRules } from './own-rules.ts';

const failing: ServiceChange = (reply, request) =>
  on(written(/status=404/), respond(404))(
    on(written(/status=500/), respond(500))(reply, request),
    request,
  );

async function causesOf(faultOf: (query: string) => OwnFault) {
  const own = defineRule({
    ...{ kind: 'probe', id: 'found', title: 'finds both' },
    check: async ({ get }, t) => {
      for (const query of ['status=404', 'status=500']) {
        t.check(faultOf(query), await get({ path: '/api/v1.0/chains', query }));
      }
    },
  });
  const [rule] = readOwnRules([own]) as readonly ProbeRule[];
  if (rule === undefined) throw new Error('one rule was given');
  const ledger = new Ledger({ rules: [rule], weigh: () => 1 });
  const tally = ledger.tallyOf(rule);
  if (tally === undefined) throw new Error('the rule takes part');
  await rule.check(modelSession(failing), tally);
  return [...tally.causes.values()].map(({ key }) => key);
}

describe('causes of custom rules', () => {
  test('two statuses without a fault -> two causes, whatever the texts', async () => {
    const keys = await causesOf((query) => ({ expected: '200', actual: query }));
    expect(keys).toEqual([
      'own/found#violated chains body=object status=404',
      'own/found#violated chains body=object status=500',
    ]);
    expect(await causesOf(() => ({ expected: 'success', actual: 'a failure' }))).toEqual(keys);
  });

  test('a fault and a pointer -> part of the cause', async () => {
    const keys = await causesOf(() => ({
      ...{ fault: 'too-long', expected: 'a', actual: 'b', pointer: '/3/name' },
    }));
    expect(keys[0]).toBe('own/found#too-long chains /{}/name body=object status=404');
  });

  test('a fault with a value that JSON cannot hold -> reported like any other', async () => {
    const keys = await causesOf(() => ({ expected: 'a', actual: 'b', ...{ amount: 5n } }));
    expect(keys).toHaveLength(2);
  });

  test('a fault without an exchange from a probe, or a promise from a rule on replies -> an error', async () => {
    const probe = defineRule({
      ...{ kind: 'probe', id: 'without', title: 'has no proof' },
      check: async (_, t) => t.check({ expected: 'a', actual: 'b' }),
    });
    const late = defineRule({
      ...{ kind: 'reply', id: 'late', title: 'waits', endpoint: 'chains' },
      check: (async () => {}) as () => void,
    });
    const [first, second] = readOwnRules([probe, late]) as readonly [ProbeRule, ReplyRule];
    const judging = async () => first.check(modelSession(), openTally(first).tally);
    await expect(judging()).rejects.toThrow(/without called check without an exchange/);
    const judged = given(goldenChains(), { endpoint: 'chains' });
    expect(() => second.check(judged, openTally(second).tally)).toThrow(/must not be async/);
  });

  test('a fault that is not a slug -> an error that quotes it', async () => {
    const found = causesOf(() => ({ fault: 'Too long!', expected: 'a', actual: 'b' }));
    await expect(found).rejects.toThrow(
      /found reported .*'Too long!'.*lower-case words with dashes/,
    );
  });
});
