import { isObject } from '../checks/reply-body.ts';
import type { Exchange } from '../client/exchange.ts';
import { isLongTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { createDeck } from '../generate/deck.ts';
import {
  EXTRA_SEPARATORS,
  inReverseOrder,
  PERCENT_ENCODED,
  type QueryFormat,
} from '../generate/query-formats.ts';
import { formatQuoted } from '../model/format-statement.ts';
import { address, NATIVE } from '../model/golden-addresses.ts';
import { type JudgedReply, requestedChain } from '../model/judged-reply.ts';
import type { Rule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { quote, reason, statusCode, words } from '../model/statement.ts';
import { faultUnless } from '../rule-kit/faults.ts';
import { isKnownToken, knownChain } from '../rule-kit/known-chains.ts';
import { lookupsSucceed, observeEach, ofFirstTrade } from '../rule-kit/probes.ts';
import { each, observe, when } from '../rule-kit/reply-judges.ts';
import { statusWords } from '../rule-kit/reply-status.ts';
import { requestedToken } from '../rule-kit/request-parameters.ts';
import { probeRules, relationRules, replyRules } from '../rule-kit/rules-by-id.ts';
import { type EquivalentRequests, samePlan } from '../rule-kit/same-plan.ts';
import { NO_PLAN, plainQueries } from '../rule-kit/sample-queries.ts';
import {
  buyLess,
  failFirst,
  not,
  on,
  reject,
  respond,
  to,
  written,
} from '../rule-kit/service-breaks.ts';
import { errorBody, isOperation, SPECIFIED_STATUSES } from '../rule-kit/specified-replies.ts';

function mustBeAnswered(exchange: Exchange): boolean {
  return isOperation(exchange) && !isLongTarget(exchange.target);
}

/** The specification leaves open the reply for an unknown chain or token. */
function requestsUnknown({ exchange, facts }: JudgedReply): boolean {
  if (facts === undefined || exchange.endpoint === 'chains') return false;
  const chainId = requestedChain(exchange);
  if (chainId === undefined || knownChain(facts, chainId) === undefined) return true;
  if (exchange.endpoint !== 'swap') return false;
  return (['sellToken', 'buyToken'] as const).some((name) => {
    const token = requestedToken(exchange, name);
    return token === undefined || !isKnownToken(facts, chainId, token);
  });
}

function plansWrittenIn(ways: readonly QueryFormat[]) {
  return (session: Session): readonly EquivalentRequests[] => {
    const deck = createDeck(ways, session.seed);
    return plainQueries(session).map((query) => [query, deck.deal()]);
  };
}

/** @see Specification 4, for every endpoint */
export const rules: readonly Rule[] = [
  ...replyRules('any', {
    // "Every endpoint can answer 200, 400 (body: Error) or 500 (body: Error)". The specification
    // leaves open methods other than GET.
    'endpoint/answers': {
      clause: '4 status',
      must: 'responds to every request completely and in time',
      check: ({ exchange }, t) => {
        if (mustBeAnswered(exchange)) t.check();
      },
      checkMissing: (exchange, t) => {
        const { outcome } = exchange;
        if (outcome.kind !== 'no-reply' || !mustBeAnswered(exchange)) return;
        // The client ended the exchange or stopped reading, so the service is not at fault.
        if (outcome.cause === 'aborted' || outcome.cause === 'too-large') return;
        t.check({
          ...{ fault: 'no-reply', data: { cause: outcome.cause } },
          ...{ expected: words`a complete reply in time`, actual: [reason(outcome.message)] },
        });
      },
      breaks: (['timeout', 'reset', 'protocol', 'cut', 'encoding', 'refused'] as const).map(
        (cause) => [
          {},
          {
            of: 'error',
            exchange: {
              outcome: { kind: 'no-reply', cause, message: 'No reply arrived.' },
              // The rule does not judge requests with longer targets.
              target: 'x'.repeat(3_999),
            },
          },
          'No reply arrived.',
        ],
      ),
      notApplicable: [
        [{}, { of: 'error', status: 500, exchange: { method: 'POST' } }],
        [{}, { of: 'error', status: 500, endpoint: undefined }],
        [
          {},
          {
            of: 'error',
            exchange: {
              outcome: { kind: 'no-reply', cause: 'aborted', message: 'It took too long.' },
            },
          },
        ],
        [
          {},
          {
            of: 'error',
            exchange: {
              outcome: { kind: 'no-reply', cause: 'too-large', message: 'It took too long.' },
            },
          },
        ],
        [
          {},
          {
            of: 'error',
            exchange: {
              outcome: { kind: 'no-reply', cause: 'reset', message: 'It took too long.' },
              method: 'HEAD',
            },
          },
        ],
        [
          {},
          {
            of: 'error',
            exchange: {
              outcome: { kind: 'no-reply', cause: 'reset', message: 'It took too long.' },
              endpoint: undefined,
            },
          },
        ],
      ],
    },
    // The client does not follow redirects, so a redirect fails this rule.
    'endpoint/status': {
      clause: '4 status',
      must: 'responds with status 200, 400 or 500',
      check: when(
        ({ exchange }) => mustBeAnswered(exchange),
        (input, t) => {
          const { status, headers } = input.reply;
          const isSpecified = SPECIFIED_STATUSES.includes(status);
          if (!isSpecified && (status === 429 || requestsUnknown(input))) return undefined;
          const location = headers['location']?.[0];
          const actual =
            location === undefined
              ? statusWords(input.exchange)
              : words`${statusCode(status)} to ${quote(location)}`;
          return t.check(
            faultUnless(isSpecified, 'unspecified', words`200, 400 or 500`, actual, { status }),
          );
        },
      ),
      breaks: [
        [{}, { of: 'error', status: 422 }, '422 "INVALID"'],
        [{}, { of: 'error', status: 201 }, '201 "INVALID"'],
        [
          {},
          { of: 'error', status: 302, headers: { location: ['https://elsewhere.example'] } },
          '302 to "https://elsewhere.example"',
        ],
        [{}, { of: 'error', status: 404, query: {} }, '404 "INVALID"'],
        [{}, { of: 'error', status: 404, query: { sellToken: NATIVE } }, '404 "INVALID"'],
        [{}, { of: 'error', status: 404, facts: 'none' }, '404 "INVALID"'],
        [{}, { of: 'error', status: 404, endpoint: 'chains' }, '404 "INVALID"'],
        [{}, { of: 'error', status: 404, endpoint: 'tokens' }, '404 "INVALID"'],
        [
          {},
          { of: 'error', status: 414, exchange: { target: 'x'.repeat(3_999) } },
          '414 "INVALID"',
        ],
      ],
      valid: [[{}, { of: 'error', status: 500 }]],
      notApplicable: [
        [{}, { of: 'error', status: 500, exchange: { method: 'POST' } }],
        [{}, { of: 'error', status: 404, query: { sellToken: address('8') } }],
        [{}, { of: 'error', status: 404, query: { buyToken: undefined } }],
        [{}, { of: 'error', status: 404, query: { chainId: '5' } }],
        [{}, { of: 'error', status: 404, query: { chainId: undefined } }],
        [{}, { of: 'error', status: 404, endpoint: 'tokens', query: { chainId: '7' } }],
        [{}, { of: 'error', status: 429, headers: {} }],
      ],
    },
    // Web pages on other origins can read a reply only if its CORS headers allow that.
    'endpoint/cors-observed': {
      clause: '4 get',
      observes: 'which origins its CORS headers allow to read replies',
      check: when(
        ({ exchange }) => isOperation(exchange) && exchange.origin !== 'body-only',
        observe(({ reply: { headers } }) => {
          const origins = headers['access-control-allow-origin'];
          return origins === undefined ? 'none' : formatQuoted(origins.join(', '));
        }),
      ),
      breaks: [
        [{}, 'none'],
        [{}, { headers: { 'access-control-allow-origin': ['*'] } }, '"*"'],
      ],
    },
    // "400 (body: Error) or 500 (body: Error)".
    'error/body': {
      clause: '4 error body',
      must: 'returns an Error object with 400 and 500',
      needs: 'a reply with status 400 or 500',
      check: when(
        ({ exchange }) => exchange.endpoint !== undefined,
        each(errorBody, isObject, 'no-error', words`an object with \`error\` and \`message\``),
      ),
      breaks: [
        [{ '': 'no' }, { of: 'error' }, 'at the top level: "no"'],
        [{ '': [] }, { of: 'error', status: 500 }, 'at the top level: []'],
      ],
      valid: [[{}, { of: 'error', status: 500 }]],
      notApplicable: [
        [{}, { of: 'error', status: 200 }],
        [{}, { of: 'error', document: { kind: 'not-json', reason: 'ends in mid-value' } }],
      ],
    },
  }),
  ...probeRules({
    // "Every endpoint: method GET, all inputs in the query string, no request body."
    'endpoint/get': {
      clause: '4 get',
      must: 'returns 200 for a GET with all inputs in its query and no body',
      check: lookupsSucceed(
        ({ facts }) => [
          {
            expected: words`200 for /chains`,
            path: PATHS.chains,
            query: [],
            succeededBefore: facts.chains.length > 0,
          },
        ],
        'no lookup is known',
      ),
      breaks: [
        [on(to('chains'), respond(404)), 'expected 200 for /chains, got 404 "NO", 3 times'],
        [on(to('chains'), reject), 'expected 200 for /chains, got 400 "NO", 3 times'],
        [
          respond(500),
          { facts: 'undiscovered' },
          'expected 200 for /chains, got 500 "NO", 3 times',
        ],
      ],
      valid: [
        ['fails once', failFirst(1)],
        ['fails twice', failFirst(2)],
      ],
      couldNotRun: [['fails since discovery', failFirst(3)]],
    },
    'endpoint/other-methods-observed': {
      clause: '4 other methods',
      observes: 'how it responds to methods other than GET',
      check: observeEach(() =>
        ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => [
          method,
          { path: PATHS.chains, query: [], method },
        ]),
      ),
    },
  }),
  ...relationRules({
    'relation/parameter-order': {
      clause: '4 get',
      should: 'ignores the order of parameters',
      because: `"take parameters in the query string": clients' libraries write parameters in any order.`,
      check: samePlan(
        'with its parameters reversed',
        (session) => plainQueries(session).map((query) => [query, inReverseOrder]),
        NO_PLAN,
      ),
      breaks: [
        [
          on(written(/^(?!chainId=)/), buyLess),
          'expected the same plan with its parameters reversed: …, got another plan: …',
        ],
        [
          on(written(/Amount=.*sellToken=/), buyLess),
          'expected the same plan with its parameters reversed: …, got another plan: …',
        ],
        [
          on(written(/^apiKey=/), reject),
          'expected the same plan with its parameters reversed: …, got 400 "NO"',
        ],
      ],
    },
    'relation/percent-encoding': {
      clause: '4 get',
      should: 'reads percent-encoded names and values like plain ones',
      because: `"take parameters in the query string": a client's library may percent-encode more characters than necessary, with hex digits in either case. All these forms are equivalent (RFC 3986, 6.2.2).`,
      check: samePlan('with percent-encoding', plansWrittenIn(PERCENT_ENCODED), NO_PLAN),
      breaks: [
        [
          on(written(/%/), buyLess),
          'expected the same plan with percent-encoding: …, got another plan: …',
        ],
        [
          on(written(/%[0-9A-F]{2}[^&]*=/), reject),
          'expected the same plan with percent-encoding: …, got 400 "NO"',
        ],
        [
          on(written(/=%3[0-9]/), reject),
          'expected the same plan with percent-encoding: …, got 400 "NO"',
        ],
        [
          on(written(/%[0-9][a-f]/), buyLess),
          'expected the same plan with percent-encoding: …, got another plan: …',
        ],
      ],
    },
    'relation/separator-at-end': {
      clause: '4 get',
      should: 'reads a query with a separator at the end like the query without it',
      because:
        'A client that ends each parameter with a separator receives a different plan or an error, although its request is valid.',
      check: samePlan(
        'with `&` at the end',
        (session) =>
          plainQueries(session).map((query) => [query, EXTRA_SEPARATORS['`&` at the end']]),
        NO_PLAN,
      ),
      breaks: [
        [
          on(written(/[^&]&$/), buyLess),
          'expected the same plan with `&` at the end: …, got another plan: …',
        ],
        [
          on(written(/[^&]&$/), reject),
          'expected the same plan with `&` at the end: …, got 400 "NO"',
        ],
        [
          on(not(written(/[^&]&$/)), reject),
          'expected the same plan with `&` at the end: no plan, got another plan: …',
        ],
      ],
    },
    'relation/separators': {
      clause: '4 get',
      should:
        'reads a query with other superfluous separators like the query without them, or rejects it with 400',
      because:
        'A client that joins parameters carelessly receives a different plan without an error.',
      check: samePlan(
        'with superfluous separators',
        plansWrittenIn([
          EXTRA_SEPARATORS['`&&` at the end'],
          EXTRA_SEPARATORS['`&` at the start'],
          EXTRA_SEPARATORS['`&&` between'],
        ]),
        NO_PLAN,
        { mayBeRejected: true },
      ),
      breaks: [
        [
          on(written(/^&|&&|&$/), buyLess),
          'expected the same plan with superfluous separators: …, got another plan: …',
        ],
        [
          on(written(/^&|&&|&$/), respond(500)),
          'expected the same plan with superfluous separators: …, got 500 "NO"',
        ],
      ],
      valid: [['rejects superfluous separators', on(written(/^&|&&|&$/), reject)]],
    },
  }),
  ...probeRules({
    // The specification does not define an empty parameter: form parsers skip it, and strict
    // parsers reject it.
    'endpoint/separators-observed': {
      clause: '4 get',
      observes: 'how it responds to superfluous separators',
      check: observeEach(
        ofFirstTrade((query) =>
          Object.entries(EXTRA_SEPARATORS).map(([what, write]) => [what, write(query)]),
        ),
      ),
    },
  }),
];
