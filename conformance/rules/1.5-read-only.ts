import { swapTarget } from '../generate/trades.ts';
import type { Check, Rule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { compareWithFirst, sameAsFirst } from '../rule-kit/first-reply.ts';
import { planKey } from '../rule-kit/plan-key.ts';
import { shareWord } from '../rule-kit/probes.ts';
import { bodyArray } from '../rule-kit/reply-values.ts';
import { relationRules, replyRules } from '../rule-kit/rules-by-id.ts';
import { NO_PLAN, plainQueries } from '../rule-kit/sample-queries.ts';
import { buyLess, on } from '../rule-kit/service-breaks.ts';

function idsAndNames(chains: readonly unknown[]): readonly unknown[] {
  return chains.map((chain) => {
    const { chainId, name } = (chain ?? {}) as { chainId?: unknown; name?: unknown };
    return [chainId, name];
  });
}

const observeRepeats = async (session: Session, t: Check) => {
  const queries = plainQueries(session);
  if (queries.length === 0) return t.skip(NO_PLAN);
  const repeats = await Promise.all(
    queries.map(async (query) => {
      const [first, second] = await Promise.all([1, 2].map(() => session.get(swapTarget(query))));
      return [first, second].map((exchange) => exchange && planKey(exchange));
    }),
  );
  const planned = repeats.filter(([first, second]) => first !== undefined && second !== undefined);
  for (const _ of planned) t.check();
  const others = planned.filter(([first, second]) => first !== second).length;
  t.observe(
    `another plan in ${others} of ${planned.length} cases`,
    `another plan in ${shareWord(others, planned.length)} cases`,
  );
  t.stuck(NO_PLAN);
};

/** @see Specification 1.5: "The operations only read data." */
export const rules: readonly Rule[] = [
  ...replyRules('chains', {
    'chains/repeat': {
      clause: '1.5 read only',
      should: 'lists the same chains every time',
      because:
        '"Returns the supported chains": a client that reads the list once misses a chain, or requests one that is gone.',
      check: sameAsFirst((input) => {
        const [list] = bodyArray(input);
        const first = input.facts?.chains ?? [];
        if (list === undefined || first.length === 0) return undefined;
        return compareWithFirst('', idsAndNames(list.value), idsAndNames(first));
      }),
      breaks: [
        [{ '/0/chainId': '31337x' }, 'at the top level: [["31337x","Golden"],[501,"Other"]]'],
        [{ '/0/name': undefined }, 'at the top level: [[31337,null],[501,"Other"]]'],
        [{ '': [{ chainId: 31337, name: 'Golden' }] }, 'at the top level: [[31337,"Golden"]]'],
        [{ '': [] }, 'at the top level: []'],
      ],
      valid: [
        [
          {
            '/0/chainId': 501,
            '/0/name': 'Other',
            '/0/kind': 'not EVM',
            '/1/chainId': 31337,
            '/1/name': 'Golden',
            '/1/kind': undefined,
          },
        ],
      ],
    },
  }),
  ...relationRules({
    // On a moving market, two replies may differ in any way.
    'relation/repeats': {
      clause: '1.5 read only',
      observes: 'whether it returns the same plan for a repeated request',
      check: observeRepeats,
      valid: [
        ['returns a worse plan the second time', on(({ repeats }) => repeats === 1, buyLess)],
      ],
    },
  }),
];
