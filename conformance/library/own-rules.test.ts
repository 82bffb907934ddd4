import { describe, expect, test } from 'vitest';
import type { ServiceChange } from '../model/breaks.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { ProbeRule } from '../model/rule.ts';
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
    run: async ({ get, check }) => {
      for (const query of ['status=404', 'status=500']) {
        check(await get({ path: '/api/v1.0/chains', query }), faultOf(query));
      }
    },
  });
  const [rule] = readOwnRules([own]) as readonly ProbeRule[];
  if (rule === undefined) throw new Error('one rule was given');
  const ledger = new Ledger({ rules: [rule], weigh: () => 1 });
  ledger.addProbeVerdict(rule, await rule.run(modelSession(failing)));
  return [...(ledger.tallies.get('own/found')?.causes.values() ?? [])].map(({ key }) => key);
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

  test('a fault that is not a slug -> an error that quotes it', async () => {
    const found = causesOf(() => ({ fault: 'Too long!', expected: 'a', actual: 'b' }));
    await expect(found).rejects.toThrow(
      /found returned .*"Too long!".*lower-case words with dashes/,
    );
  });
});
