import { ChainSchema } from '../contract/resources.ts';
import type { Rule } from '../model/rule.ts';
import { words } from '../model/statement.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { each, unique } from '../rule-kit/reply-judges.ts';
import { entries, strings, values } from '../rule-kit/reply-values.ts';
import { replyRules } from '../rule-kit/rules-by-id.ts';

/** @see Specification 2.7 */
export const rules: readonly Rule[] = [
  ...fieldRules(
    { section: '2.7', slug: 'chain', endpoint: 'chains', at: ['/0'] },
    ChainSchema,
    entries,
  ),
  ...replyRules('chains', {
    // "Unique identifier of the blockchain network".
    'chain/chain-id-unique': {
      clause: '2.7 chainId',
      must: 'gives each chain its own `chainId` in /chains',
      check: unique(values(entries, 'chainId'), words`a \`chainId\` that no other chain has`),
      breaks: [[{ '/1/chainId': 31337 }, 'at /1/chainId: 31337 again']],
      notApplicable: [[{ '': [] }]],
    },
    'chain/name-not-blank': {
      clause: '2.7 name',
      should: 'gives each chain a name that is not blank',
      because: '"Human-readable network name": a blank name is not readable.',
      check: each(
        strings(entries, 'name'),
        (name) => name.trim() !== '',
        'blank',
        words`a name that a person can read`,
      ),
      breaks: [[{ '/0/name': ' ' }, 'at /0/name']],
    },
  }),
];
