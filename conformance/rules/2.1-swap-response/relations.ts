import { parameterOf, type Query, type RequestTarget } from '../../client/request.ts';
import { createDeck } from '../../generate/deck.ts';
import { inLetterCase, inReverseOrder, PERCENT_ENCODED } from '../../generate/query-formats.ts';
import { RECIPIENT_ADDRESS, setParameter } from '../../generate/trades.ts';
import type { ServiceChange } from '../../model/breaks.ts';
import type { Rule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { relationRules } from '../../rule-kit/rules-by-id.ts';
import { type Difference, type EquivalentRequests, samePlan } from '../../rule-kit/same-plan.ts';
import { calldataQueries, NO_CALLDATA } from '../../rule-kit/sample-queries.ts';
import { encodeAs, has, on, reject, written } from '../../rule-kit/service-breaks.ts';

type EquivalentForm = readonly [difference: Difference, (query: Query) => Query | RequestTarget];

const EQUIVALENT_FORMS: readonly EquivalentForm[] = [
  [{ id: 'reversed', words: 'with its parameters reversed' }, inReverseOrder],
  ...PERCENT_ENCODED.map(
    (write): EquivalentForm => [{ id: 'percent-encoded', words: 'with percent-encoding' }, write],
  ),
  [
    { id: 'capitals', words: 'with addresses in capitals' },
    (query) => inLetterCase(query, 'upper'),
  ],
  [
    { id: 'lower-case', words: 'with addresses in lower case' },
    (query) => inLetterCase(query, 'lower'),
  ],
  withDefaultAdded('useRfq', 'false'),
  withDefaultAdded('router', 'default-router'),
];

function withDefaultAdded(name: string, value: string): EquivalentForm {
  return [
    { id: `default-${name}`, words: `with and without \`${name}=${value}\`` },
    (query) =>
      parameterOf(query, name) === undefined ? setParameter(query, name, [value]) : query,
  ];
}

const FORMS_PER_TRADE = 2;

function equivalents(session: Session): readonly EquivalentRequests[] {
  const deck = createDeck(EQUIVALENT_FORMS, session.seed);
  return calldataQueries(session).flatMap((named) => {
    const isDefault = parameterOf(named, 'router') === 'default-router';
    const unnamed = isDefault ? setParameter(named, 'router', []) : named;
    const query = setParameter(unnamed, 'recipientAddress', [RECIPIENT_ADDRESS]);
    return Array.from({ length: FORMS_PER_TRADE }, (): EquivalentRequests => {
      const [difference, otherOf] = deck.deal();
      return [query, otherOf, difference];
    });
  });
}

const ANOTHER_TRADE = encodeAs('0x3593564c00');

const numberedCalldata: ServiceChange = (reply, { count }) =>
  encodeAs(`0x3593564c${String(count).padStart(10, '0')}`)(reply);

/** @see Specification 2.1 */
export const rules: readonly Rule[] = relationRules({
  'relation/calldata': {
    clause: '2.1 calldata',
    should: 'returns the same calldata for equivalent requests, except for deadlines',
    because: '"Calldata that settles the trade": an equivalent request describes the same trade.',
    check: samePlan('in other words', equivalents, NO_CALLDATA, { comparesCalldata: true }),
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
    valid: [['salts calldata', numberedCalldata]],
  },
});
