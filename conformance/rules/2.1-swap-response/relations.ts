import type { Query, RequestTarget } from '../../client/request.ts';
import { createDeck } from '../../generate/deck.ts';
import { inLetterCase, inReverseOrder, PERCENT_ENCODED } from '../../generate/query-formats.ts';
import { parameterIn, RECIPIENT_ADDRESS, setParameter } from '../../generate/trades.ts';
import type { ServiceChange } from '../../model/breaks.ts';
import type { Rule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { relationRules } from '../../rule-kit/rules-by-id.ts';
import { type Difference, type EquivalentRequests, samePlan } from '../../rule-kit/same-plan.ts';
import { calldataQueries, NO_CALLDATA } from '../../rule-kit/sample-queries.ts';
import { encodeAs, has, on, reject, written } from '../../rule-kit/service-breaks.ts';

/** Another way to request the same transaction. */
type Way = readonly [difference: Difference, (query: Query) => Query | RequestTarget];

const WAYS: readonly Way[] = [
  [{ id: 'reversed', words: 'with its parameters reversed' }, inReverseOrder],
  ...PERCENT_ENCODED.map(
    (write): Way => [{ id: 'percent-encoded', words: 'with percent-encoding' }, write],
  ),
  [
    { id: 'capitals', words: 'with addresses in capitals' },
    (query) => inLetterCase(query, 'upper'),
  ],
  [
    { id: 'lower-case', words: 'with addresses in lower case' },
    (query) => inLetterCase(query, 'lower'),
  ],
  wayOfDefault('useRfq', 'false'),
  wayOfDefault('router', 'default-router'),
];

/** Returns the way that adds a parameter with its default value if it is missing. */
function wayOfDefault(name: string, value: string): Way {
  return [
    { id: `default-${name}`, words: `with and without \`${name}=${value}\`` },
    (query) => (parameterIn(query, name) === '' ? setParameter(query, name, [value]) : query),
  ];
}

/** Number of ways in which each trade is requested. */
const WAYS_OF_EACH = 2;

/**
 * Returns requests for calldata, each with some random other ways; the default router is requested
 * without its name.
 */
function equivalents(session: Session): readonly EquivalentRequests[] {
  const deck = createDeck(WAYS, session.seed);
  return calldataQueries(session).flatMap((named) => {
    const isDefault = parameterIn(named, 'router') === 'default-router';
    const unnamed = isDefault ? setParameter(named, 'router', []) : named;
    const query = setParameter(unnamed, 'recipientAddress', [RECIPIENT_ADDRESS]);
    return Array.from({ length: WAYS_OF_EACH }, (): EquivalentRequests => {
      const [difference, otherOf] = deck.deal();
      return [query, otherOf, difference];
    });
  });
}

const ANOTHER_TRADE = encodeAs('0x3593564c00');

/** Calldata with another number in each reply. */
const salted: ServiceChange = (reply, { count }) =>
  encodeAs(`0x3593564c${String(count).padStart(10, '0')}`)(reply);

/** @see Specification 2.1 */
export const rules: readonly Rule[] = relationRules({
  'relation/calldata': {
    clause: '2.1 calldata',
    should: 'returns the same calldata for equivalent requests, except deadlines',
    because:
      '"Calldata that settles the trade": a trade that is requested in another way is the same trade.',
    run: samePlan('in other words', equivalents, NO_CALLDATA, { comparesCalldata: true }),
    breaks: [
      [
        on(has('recipientAddress', /[A-F]/), ANOTHER_TRADE),
        'expected the same calldata for the same plan with addresses in capitals: from byte …, got …',
      ],
      [
        on(has('recipientAddress', /^0x[a-f0-9]*$/), ANOTHER_TRADE),
        'expected the same calldata for the same plan with addresses in capitals: from byte …, got …',
      ],
      [
        on(written(/%/), ANOTHER_TRADE),
        'expected the same calldata for the same plan with its parameters reversed: from byte …, got …',
        'expected the same calldata for the same plan with percent-encoding: from byte …, got …',
      ],
      [
        on(has('useRfq', 'false'), ANOTHER_TRADE),
        'expected the same calldata for the same plan with and without `useRfq=false`: from byte …, got …',
      ],
      [
        on(has('router', 'default-router'), ANOTHER_TRADE),
        'expected the same calldata for the same plan with and without `router=default-router`: from byte …, got …',
      ],
      [
        on(written(/^apiKey=/), reject),
        'expected the same plan with its parameters reversed: …, got 400 "NO"',
      ],
    ],
    valid: [['salts calldata', salted]],
  },
});
