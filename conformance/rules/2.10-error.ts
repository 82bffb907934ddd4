import { ErrorSchema } from '../contract/resources.ts';
import type { Rule } from '../model/rule.ts';
import { ownWords, words } from '../model/statement.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { each } from '../rule-kit/reply-judges.ts';
import { strings } from '../rule-kit/reply-values.ts';
import { replyRules } from '../rule-kit/rules-by-id.ts';
import { errorObject } from '../rule-kit/specified-replies.ts';

/** @see Specification 2.10 */
export const rules: readonly Rule[] = [
  ...fieldRules(
    { section: '2.10', slug: 'error', ofErrors: true, at: [''] },
    ErrorSchema,
    errorObject,
  ),
  ...replyRules('errors', {
    'error/not-blank': {
      clause: '2.10 message',
      should: 'returns an `error` and a `message` that are not blank',
      because: '"Error type", "Human-readable message": a blank is neither.',
      needs: 'a reply with status 400 or 500',
      check: each(
        strings(errorObject, 'error', 'message'),
        (text) => text.trim() !== '',
        'blank',
        ({ pointer }) => words`\`${ownWords(pointer.slice(1))}\` is not blank`,
      ),
      breaks: [
        [{ '/message': '' }, 'at /message'],
        [{ '/error': ' ' }, 'at /error'],
      ],
      notApplicable: [
        [{}, { status: 200 }],
        [{}, { status: 422 }],
        [{}, { document: { kind: 'not-json', reason: 'ends in mid-value' } }],
        [{ '': 'no' }],
        [{ '': [] }],
      ],
    },
  }),
];
