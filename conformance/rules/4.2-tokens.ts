import { TokenInfoSchema } from '../contract/resources.ts';
import { Type } from '../contract/schema.ts';
import { USD } from '../model/golden-addresses.ts';
import type { Rule } from '../model/rule.ts';
import { keyIsRequired } from '../rule-kit/api-keys.ts';
import { brokenParameterRules } from '../rule-kit/broken-parameters.ts';
import { observesExtraFields } from '../rule-kit/extra-fields.ts';
import { listOfObjects } from '../rule-kit/reply-judges.ts';
import { replyRules } from '../rule-kit/rules-by-id.ts';

/** @see Specification 4.2 */
export const rules: readonly Rule[] = [
  ...replyRules('tokens', {
    'tokens/response': {
      clause: '4.2 response',
      must: 'returns an array of objects from /tokens',
      check: listOfObjects,
      breaks: [
        [
          { '/0': 'token' },
          `at the top level: ["token",{"address":"${USD}","name":"Dollar","symbol":"USD","decimals":6,"metada..."`,
        ],
        [{ '': {} }, 'at the top level: {}'],
      ],
      notApplicable: [[{}, { document: { kind: 'not-json', reason: 'empty' } }]],
    },
    'tokens/extra-fields-observed': {
      clause: '4.2 response',
      observes: 'which fields beyond the specification it sends in /tokens',
      check: observesExtraFields(Type.Array(TokenInfoSchema)),
      breaks: [[{}, '"*.tags"']],
    },
  }),
  keyIsRequired('tokens', '4.2 apiKey'),
  ...brokenParameterRules('4.2'),
];
