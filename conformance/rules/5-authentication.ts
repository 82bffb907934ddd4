import { KEY_PLACEHOLDER, type Query } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import type { Rule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { reason, words } from '../model/statement.ts';
import { asWritten, keylessRequests } from '../rule-kit/api-keys.ts';
import { judgeEach, type ObservedRequest, observeEach } from '../rule-kit/probes.ts';
import { none, when } from '../rule-kit/reply-judges.ts';
import { statusData, statusWords } from '../rule-kit/reply-status.ts';
import { probeRules, replyRules } from '../rule-kit/rules-by-id.ts';
import { respond } from '../rule-kit/service-breaks.ts';
import { hasSpecifiedBody } from '../rule-kit/specified-replies.ts';

function keyRequests(...keys: readonly (readonly [what: string, parameters: Query])[]) {
  return (session: Session): readonly ObservedRequest[] =>
    keylessRequests(session).flatMap(({ endpoint, query }) =>
      keys.map(
        ([what, parameters]): ObservedRequest => [
          `/${endpoint} with ${what}`,
          asWritten(endpoint, [...query, ...parameters]),
        ],
      ),
    );
}

/** @see Specification 5 */
export const rules: readonly Rule[] = [
  ...replyRules('any', {
    // The client has replaced the key in judged replies, unless the key may appear there by chance.
    'keys/not-echoed': {
      clause: '5.1 apiKey',
      should: 'returns no API key in a reply',
      because: 'A client that logs, shows or forwards a reply reveals its key.',
      check: when(
        hasSpecifiedBody,
        none(
          ({ reply }) => (reply.text.includes(KEY_PLACEHOLDER) ? [''] : []),
          'echoed',
          words`a reply without the API key`,
          words`the API key in the body`,
        ),
      ),
      breaks: [
        [
          { '/message': `cannot serve /swap?apiKey=${KEY_PLACEHOLDER}` },
          { of: 'error' },
          'at the top level: the API key in the body',
        ],
      ],
      notApplicable: [[{}, { of: 'error', status: 404 }]],
    },
  }),
  ...probeRules({
    'keys/key-is-enough': {
      clause: '5.1 apiKey',
      should: 'needs no credential but `apiKey`',
      because:
        '"No other credential, header or signature is described": a service that requires another credential contradicts this.',
      check: judgeEach(
        (session) =>
          keylessRequests(session).map(({ endpoint, query }) => ({
            target: { path: PATHS[endpoint], query },
          })),
        (exchange) => {
          const { outcome } = exchange;
          if (outcome.kind === 'no-reply') return undefined;
          const status = statusData(exchange);
          const expected = words`no further credential`;
          const [scheme] = outcome.headers['www-authenticate'] ?? [];
          if (scheme !== undefined) {
            const actual = words`${statusWords(exchange)} and \`www-authenticate: ${reason(scheme)}\``;
            return { fault: 'asks-for-credential', data: status, expected, actual };
          }
          return [401, 403, 407].includes(outcome.status)
            ? { fault: 'not-authorized', data: status, expected, actual: statusWords(exchange) }
            : undefined;
        },
      ),
      breaks: [
        [
          (reply) => ({ ...reply, headers: { 'www-authenticate': ['Basic'] } }),
          'expected no further credential, got 200 and `www-authenticate: Basic`',
        ],
        [respond(403), 'expected no further credential, got 403 "NO"'],
        [respond(407), 'expected no further credential, got 407 "NO"'],
      ],
    },
    'keys/missing-observed': {
      clause: '5.3 missing key',
      observes: 'how it responds to a missing key',
      check: observeEach(keyRequests(['no key', []], ['an empty key', [['apiKey', '']]])),
    },
    'keys/invalid-observed': {
      clause: '5.3 invalid key',
      observes: 'how it responds to an invalid key',
      check: observeEach(
        keyRequests(
          ['an unknown key', [['apiKey', 'swapcheck-unknown-key']]],
          [
            'the key twice',
            [
              ['apiKey', KEY_PLACEHOLDER],
              ['apiKey', KEY_PLACEHOLDER],
            ],
          ],
        ),
      ),
    },
  }),
];
