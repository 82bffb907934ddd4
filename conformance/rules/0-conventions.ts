import { isCanonical, isDecimal } from '../checks/amounts.ts';
import { statusOf } from '../client/exchange.ts';
import { PATHS } from '../contract/paths.ts';
import type { ReplyBreak } from '../model/breaks.ts';
import type { Rule } from '../model/rule.ts';
import { ownWords, quoteAll, reason, statusCode, words } from '../model/statement.ts';
import { faultUnless } from '../rule-kit/faults.ts';
import { someChainId } from '../rule-kit/known-chains.ts';
import { judgeEach } from '../rule-kit/probes.ts';
import { each, eachAmount, none, when } from '../rule-kit/reply-judges.ts';
import { statusData, statusWords } from '../rule-kit/reply-status.ts';
import type { Find } from '../rule-kit/reply-values.ts';
import { probeRules, replyRules } from '../rule-kit/rules-by-id.ts';
import { on, respond, to } from '../rule-kit/service-breaks.ts';
import { hasSpecifiedBody } from '../rule-kit/specified-replies.ts';

const JSON_TYPE = { 'content-type': ['application/json'] };

/** The codings of the body, in lower case, without `identity`. */
const contentCodings: Find<string> = ({ reply: { headers } }) =>
  (headers['content-encoding'] ?? [])
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .map((value) => ({ pointer: '', value }));

/** @see Specification, conventions */
export const rules: readonly Rule[] = [
  ...replyRules('any', {
    // "All operations [...] return `application/json`". Captures may lack headers.
    'endpoint/content-type': {
      clause: '0 content type',
      must: 'sends the content type application/json',
      check: when(
        (input) => hasSpecifiedBody(input) && input.exchange.origin !== 'body-only',
        ({ reply, exchange }, t) => {
          // A repeated header with the same value counts once (RFC 9110, 5.3).
          const types = [...new Set(reply.headers['content-type'])];
          if (types.length === 0 && exchange.origin === 'captured') return undefined;
          const isJson =
            types.length === 1 && /^\s*application\/json\s*(;.*)?$/i.test(types[0] ?? '');
          return t.check(
            faultUnless(
              isJson,
              types.length === 0 ? 'missing' : 'other-type',
              words`\`content-type: application/json\``,
              () => (types.length === 0 ? words`no content-type` : quoteAll(types)),
            ),
          );
        },
      ),
      breaks: [
        [{}, { of: 'error', headers: {} }, 'no content-type'],
        ...['text/html', 'application/jsonp', 'x-application/json'].map(
          (type): ReplyBreak => [
            {},
            { of: 'error', headers: { 'content-type': [type] } },
            `"${type}"`,
          ],
        ),
        [
          {},
          { of: 'error', headers: { 'content-type': ['application/json', 'text/html'] } },
          '"application/json", "text/html"',
        ],
        [
          {},
          { of: 'error', headers: { 'content-type': ['text/html'] }, origin: 'captured' },
          '"text/html"',
        ],
      ],
      valid: [
        [{}, { of: 'error', headers: { 'content-type': ['Application/JSON'] } }],
        [{}, { headers: { 'content-type': ['application/json', 'application/json'] } }],
        [{}, { of: 'error', headers: { 'content-type': [' application/json '] } }],
      ],
      notApplicable: [
        [{}, { of: 'error', status: 201 }],
        [{}, { of: 'error', status: 500, exchange: { method: 'POST' } }],
        [{}, { of: 'error', status: 500, endpoint: undefined }],
        [{}, { of: 'error', headers: {}, origin: 'captured' }],
        [{}, { of: 'error', headers: {}, origin: 'body-only' }],
      ],
    },
    'endpoint/json': {
      clause: '0 content type',
      must: 'sends a JSON body',
      check: when(
        hasSpecifiedBody,
        none(
          ({ reply: { document, status } }) =>
            document.kind === 'json' ? [] : [{ pointer: '', why: document.reason, status }],
          'not-json',
          words`JSON (RFC 8259) in UTF-8`,
          ({ why, status }) =>
            status === 200 ? [reason(why)] : words`${statusCode(status)}: ${reason(why)}`,
        ),
      ),
      breaks: [
        [
          {},
          { of: 'error', document: { kind: 'not-json', reason: 'ends in mid-value' }, status: 500 },
          'at the top level: 500: ends in mid-value',
        ],
        [
          {},
          { document: { kind: 'not-json', reason: 'ends in mid-value' } },
          'at the top level: ends in mid-value',
        ],
      ],
      notApplicable: [
        [{}, { of: 'error', status: 201 }],
        [{}, { of: 'error', status: 500, exchange: { method: 'POST' } }],
        [{}, { of: 'error', status: 500, endpoint: undefined }],
      ],
    },
    // RFC 9110, 12.5.3: a coding that the request does not list is not acceptable.
    'endpoint/coding-requested': {
      clause: '0 content type',
      should: 'compresses a body only in a way that the client accepts',
      because:
        'A client that reads only the codings in its `accept-encoding` receives bytes that are no JSON.',
      needs: 'a compressed reply to our own request, which accepts only gzip',
      check: when(
        ({ exchange }) => exchange.origin === 'sent',
        each(
          contentCodings,
          (coding) => /^(x-)?gzip$/.test(coding),
          (item) => ({ fault: 'not-requested', data: { coding: item.value } }),
          words`\`content-encoding\` gzip or none, for \`accept-encoding: gzip\``,
        ),
      ),
      breaks: [
        [{}, { headers: { 'content-encoding': ['br'] } }, 'at the top level: "br"'],
        [
          {},
          { of: 'error', headers: { 'content-encoding': ['gzip, Deflate'] } },
          'at the top level: "deflate"',
        ],
      ],
      valid: [
        [{}, { of: 'error', headers: { ...JSON_TYPE, 'content-encoding': ['gzip'] } }],
        [{}, { of: 'error', headers: { ...JSON_TYPE, 'content-encoding': ['identity, x-gzip'] } }],
      ],
      notApplicable: [
        [{}],
        [{}, { headers: { 'content-encoding': ['identity'] } }],
        [{}, { headers: { 'content-encoding': ['br'] }, origin: 'captured' }],
      ],
    },
    'endpoint/unique-keys': {
      clause: '0 content type',
      should: 'writes each key of a JSON object only once',
      because:
        'A client reads whichever of the two values its parser keeps (RFC 8259, section 4: names SHOULD be unique).',
      check: when(
        hasSpecifiedBody,
        none(
          ({ reply: { document } }) =>
            document.kind === 'json' ? document.duplicateKeys : undefined,
          'repeated',
          words`each key once`,
          words`one key twice`,
        ),
      ),
      breaks: [
        [
          {},
          {
            of: 'error',
            document: {
              kind: 'json',
              value: {
                error: 'INVALID',
                message: 'sellAmount: zero',
                details: { parameter: 'sellAmount' },
              },
              duplicateKeys: ['/error'],
            },
          },
          'at /error: one key twice',
        ],
      ],
      notApplicable: [
        [{}, { of: 'error', status: 201 }],
        [{}, { of: 'error', status: 500, exchange: { method: 'POST' } }],
        [{}, { of: 'error', status: 500, endpoint: undefined }],
      ],
    },
  }),
  ...probeRules({
    // "All paths below are absolute from it and begin with `/api/v1.0`."
    'endpoint/paths': {
      clause: '0 paths',
      must: 'serves the four operations below /api/v1.0',
      check: judgeEach(
        ({ facts }) => {
          const chainId = someChainId(facts);
          const ofChain = [['chainId', String(chainId)]] as const;
          // A 404 may be correct for a chain that the service never listed.
          return (chainId === undefined ? [PATHS.chains] : Object.values(PATHS)).map((path) => ({
            target: { path, query: path === PATHS.chains ? [] : ofChain },
          }));
        },
        (exchange, { target }) =>
          [404, 405, 501].some((status) => status === statusOf(exchange))
            ? {
                fault: 'not-served',
                data: { path: target.path, ...statusData(exchange) },
                expected: words`an operation at ${ownWords(target.path)}`,
                actual: statusWords(exchange),
              }
            : undefined,
      ),
      breaks: [
        [on(to('swap'), respond(404)), 'expected an operation at /api/v1.0/swap, got 404 "NO"'],
        [on(to('tokens'), respond(404)), 'expected an operation at /api/v1.0/tokens, got 404 "NO"'],
        [
          on(to('chainInfo'), respond(405)),
          'expected an operation at /api/v1.0/chainInfo, got 405 "NO"',
        ],
      ],
    },
  }),
  ...replyRules('swap', {
    'limits/amounts-canonical': {
      clause: '0 amounts',
      should: 'writes amounts without leading zeros',
      because:
        'A client whose parser reads integers by their prefix takes a leading zero for octal, or rejects the amount.',
      check: eachAmount(
        (amount) => !isDecimal(amount) || isCanonical(amount),
        'leading-zeros',
        words`a decimal integer without leading zeros`,
      ),
      breaks: [
        [{ '/sell/amount': '05' }, 'at /sell/amount'],
        [{ '/routes/1/toTokens/0/amount': '00' }, 'at /routes/1/toTokens/0/amount'],
      ],
      valid: [[{ '/sell/amount': '0x5' }, { fails: ['limits/amounts-decimal'] }]],
      notApplicable: [[{}, { of: 'error' }], [{ '': { tokens: [], routes: [] } }]],
    },
  }),
];
