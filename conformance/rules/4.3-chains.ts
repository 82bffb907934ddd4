import { ChainSchema } from '../contract/resources.ts';
import { Type } from '../contract/schema.ts';
import type { Rule } from '../model/rule.ts';
import { words } from '../model/statement.ts';
import { keyIsRequired } from '../rule-kit/api-keys.ts';
import { observesExtraFields } from '../rule-kit/extra-fields.ts';
import { each, listOfObjects } from '../rule-kit/reply-judges.ts';
import { bodyArray } from '../rule-kit/reply-values.ts';
import { replyRules } from '../rule-kit/rules-by-id.ts';

/** @see Specification 4.3 */
export const rules: readonly Rule[] = [
  ...replyRules('chains', {
    'chains/response': {
      clause: '4.3 response',
      must: 'returns an array of objects from /chains',
      check: listOfObjects,
      breaks: [
        [{ '': {} }, 'at the top level: {}'],
        [{ '/0': 5 }, 'at the top level: [5,{"chainId":501,"name":"Other","kind":"not EVM"}]'],
      ],
    },
    'chains/not-empty': {
      clause: '4.3 supported',
      should: 'lists at least one chain in /chains',
      because: '"Returns the supported chains": without a chain, a client can request nothing.',
      check: each(bodyArray, (chains) => chains.length > 0, 'empty', words`at least one chain`),
      breaks: [[{ '': [] }, 'at the top level: []']],
    },
    'chains/extra-fields-observed': {
      clause: '4.3 response',
      observes: 'which fields beyond the specification it sends in /chains',
      check: observesExtraFields(Type.Array(ChainSchema)),
      breaks: [
        [{}, '"*.kind"'],
        [{ '': [{ chainId: 1, name: 'A' }] }, 'none'],
      ],
    },
  }),
  keyIsRequired('chains', '4.3 apiKey'),
];
