import { swapTarget } from '../generate/trades.ts';
import type { Rule } from '../model/rule.ts';
import { quote, words } from '../model/statement.ts';
import { planKey } from '../rule-kit/plan-key.ts';
import { asserting, shareWord } from '../rule-kit/probes.ts';
import { each, when } from '../rule-kit/reply-judges.ts';
import { bodyArray } from '../rule-kit/reply-values.ts';
import { relationRules, replyRules } from '../rule-kit/rules-by-id.ts';
import { NO_PLAN, plainQueries } from '../rule-kit/sample-queries.ts';

/** Returns ids and names of chains, in one order whatever theirs is. */
function inOrder(chains: readonly unknown[]): readonly unknown[] {
  return keysOf(chains).map((key): unknown => JSON.parse(key));
}

function keysOf(chains: readonly unknown[]): readonly string[] {
  const keys = chains.map((chain) => {
    const { chainId, name } = (chain ?? {}) as { chainId?: unknown; name?: unknown };
    return JSON.stringify([chainId, name]);
  });
  return keys.sort();
}

const observeRepeats = asserting(async (session, { check, observe }) => {
  const queries = plainQueries(session);
  if (queries.length === 0) return { kind: 'not-applicable', why: NO_PLAN };
  const repeats = await Promise.all(
    queries.map(async (query) => {
      const [first, second] = await Promise.all([1, 2].map(() => session.get(swapTarget(query))));
      return [first, second].map((exchange) => exchange && planKey(exchange));
    }),
  );
  const planned = repeats.filter(([first, second]) => first !== undefined && second !== undefined);
  for (const _ of planned) check(undefined);
  const others = planned.filter(([first, second]) => first !== second).length;
  observe(
    `another plan in ${others} of ${planned.length} cases`,
    `another plan in ${shareWord(others, planned.length)} cases`,
  );
  return NO_PLAN;
});

/** @see Specification 1.5: "The operations only read data." */
export const rules: readonly Rule[] = [
  ...replyRules('chains', {
    'chains/repeat': {
      clause: '1.5 read only',
      should: 'lists the same chains every time',
      because:
        '"Returns the supported chains": a client that asks once misses a chain, or asks for one that is gone.',
      judge: when(
        ({ facts }) => facts !== undefined && facts.chains.length > 0,
        each(
          bodyArray,
          (chains, _, { facts }) =>
            facts !== undefined && keysOf(chains).join() === keysOf(facts.chains).join(),
          (_, { facts }) => words`the first reply: ${quote(inOrder(facts?.chains ?? []))}`,
          ({ value }) => [quote(inOrder(value))],
        ),
      ),
      breaks: [
        [{ '/0/chainId': '31337x' }, 'at the top: [["31337x","Golden"],[501,"Other"]]'],
        [{ '/0/name': undefined }, 'at the top: [[31337,null],[501,"Other"]]'],
        [{ '': [{ chainId: 31337, name: 'Golden' }] }, 'at the top: [[31337,"Golden"]]'],
        [{ '': [] }, 'at the top: []'],
      ],
    },
  }),
  ...relationRules({
    // Nothing tells the one reply from the other but their order, as nothing tells a moving market.
    'relation/repeats': {
      clause: '1.5 read only',
      observes: 'whether it returns the same plan for a repeated request',
      run: observeRepeats,
    },
  }),
];
