import type { Rule } from '../model/rule.ts';
import { quote } from '../rule-kit/faults.ts';
import { each, when } from '../rule-kit/reply-judges.ts';
import { bodyArray } from '../rule-kit/reply-values.ts';
import { relationRules, replyRules } from '../rule-kit/rules-by-id.ts';
import { samePlan } from '../rule-kit/same-plan.ts';
import { NO_PLAN, plainQueries } from '../rule-kit/sample-queries.ts';

/** Returns ids and names of chains, in one order whatever theirs is. */
function inOrder(chains: readonly unknown[]): readonly unknown[] {
  const keys = chains.map((chain) => {
    const { chainId, name } = (chain ?? {}) as { chainId?: unknown; name?: unknown };
    return JSON.stringify([chainId, name]);
  });
  return keys.sort().map((key): unknown => JSON.parse(key));
}

/** @see Specification 1.5: "The operations only read data." */
export const rules: readonly Rule[] = [
  ...replyRules('chains', {
    'chains/repeat': {
      clause: '1.5 read only',
      level: 'should',
      title: 'lists the same chains every time',
      judge: when(
        ({ facts }) => facts !== undefined && facts.chains.length > 0,
        each(
          bodyArray,
          (chains, _, { facts }) =>
            JSON.stringify(inOrder(chains)) === JSON.stringify(inOrder(facts?.chains ?? [])),
          (_, { facts }) => `the first reply: ${quote(inOrder(facts?.chains ?? []))}`,
          ({ value }) => quote(inOrder(value)),
        ),
      ),
    },
  }),
  ...relationRules({
    'relation/repeats': {
      clause: '1.5 read only',
      level: 'should',
      title: 'returns the same plan for a repeated request while the market stands still',
      run: samePlan(
        'when asked again',
        (session) => plainQueries(session).map((query) => [query, query]),
        NO_PLAN,
      ),
    },
  }),
];
