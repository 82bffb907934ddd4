import { successBody } from '../checks/reply-body.ts';
import { statusOf } from '../client/exchange.ts';
import { parameterOf, type Query, type RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { firstIfQuick } from '../generate/budget.ts';
import { formsOf, inForm, spreadInForms } from '../generate/forms.ts';
import {
  exactInput,
  exactOutput,
  setParameter,
  swapTarget,
  type Trade,
  tradesOf,
} from '../generate/trades.ts';
import { formatQuoted } from '../model/format-statement.ts';
import { type JudgedReply, requestedChain } from '../model/judged-reply.ts';
import type { Check, Rule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { quote, statusCode, words } from '../model/statement.ts';
import { faultUnless } from '../rule-kit/faults.ts';
import { type ObservedRequest, observeEach, ofFirstTrade } from '../rule-kit/probes.ts';
import { observe, when } from '../rule-kit/reply-judges.ts';
import { probeRules, replyRules } from '../rule-kit/rules-by-id.ts';
import { saleOf } from '../rule-kit/sample-queries.ts';
import { on, respond, written } from '../rule-kit/service-breaks.ts';
import {
  errorObject,
  faultUnlessRejected,
  isError,
  isOperation,
  showsRejection,
} from '../rule-kit/specified-replies.ts';

/** Texts that cannot be decoded (RFC 3986, 2.1; RFC 3629, 3). */
const MALFORMED = [
  ['no-digits', 'an escape without digits', '%ZZ'],
  ['cut-escape', 'an escape that ends early', '%'],
  ['no-utf-8', 'bytes that are not UTF-8', '%C3%28'],
] as const;

const BROKEN_TRADES = 4;
const REQUIRED = /^(chainId|sellToken|buyToken|sellAmount|buyAmount|userAddress)$/;

type ValidRequest = { readonly path: string; readonly query: Query };

const breakEncodings = async (session: Session, t: Check) => {
  for (const valid of firstIfQuick(validRequests(session), session)) {
    for (const broken of firstIfQuick(malformedVariants(valid), session)) {
      const exchange = await session.get(broken.target);
      // Without this request, the runner may conclude that the service has stopped, although only
      // malformed requests get no reply.
      if (statusOf(exchange) === undefined) await session.get(valid);
      if (showsRejection(exchange)) t.check(faultUnlessRejected(exchange, broken), exchange);
    }
  }
  t.stuck('no broken request got a reply');
};

function malformedVariants({ path, query }: ValidRequest) {
  const names = query.map(([name]) => name).filter((name) => REQUIRED.test(name));
  return names.flatMap((name) =>
    MALFORMED.map(([id, what, text]) => ({
      id: `${name}-${id}`,
      what: `${what} for \`${name}\``,
      target: { path, query: withRawValue(query, name, text) },
    })),
  );
}

function validRequests({ facts }: Session): readonly ValidRequest[] {
  const swaps = spreadInForms(tradesOf(facts), BROKEN_TRADES, formsOf);
  return [
    ...[...facts.markets.keys()].flatMap((chainId) =>
      [PATHS.tokens, PATHS.chainInfo].map((path) => ({
        path,
        query: [['chainId', String(chainId)]] as const,
      })),
    ),
    ...swaps.map(([trade, form]) => ({ path: PATHS.swap, query: inForm(trade, form) })),
  ];
}

function withRawValue(query: Query, name: string, text: string): RequestTarget['query'] {
  return query
    .map(([each, value]) => `${each}=${each === name ? text : encodeURIComponent(value)}`)
    .join('&');
}

/** The specification leaves open the reply to a request that has not succeeded before. */
function succeededBefore({ exchange, facts }: JudgedReply): boolean {
  const chainId = requestedChain(exchange) ?? Number.NaN;
  if (!isOperation(exchange) || facts === undefined) return false;
  if (exchange.endpoint === 'chains') return facts.chains.length > 0;
  if (exchange.endpoint === 'tokens') return facts.tokens.has(chainId);
  if (exchange.endpoint === 'chainInfo') return facts.chainInfo.has(chainId);
  const market = facts.markets.get(chainId);
  if (market === undefined) return false;
  const [sell, buy] = [
    parameterOf(exchange.query, 'sellToken'),
    parameterOf(exchange.query, 'buyToken'),
  ];
  const pair = market.pairs.find((each) => each.sell.address === sell && each.buy.address === buy);
  if (pair === undefined) return false;
  const planned = exactInput({ market, pair });
  // The client sends the caller's key exactly once.
  const keys = exchange.query.filter(([name]) => name === 'apiKey').length;
  return (
    exchange.query.length - keys === planned.length &&
    planned.every(([name, value]) => parameterOf(exchange.query, name) === value)
  );
}

const UNKNOWN_CHAIN = '987654321987';

function withoutPlan(query: Query, trade: Trade, { facts }: Session): readonly ObservedRequest[] {
  const unknownToken = swapTarget(setParameter(query, 'buyToken', [`0x${'5'.repeat(40)}`]));
  return [
    ...(trade.market.addresses === 'evm' ? [['a token of no chain', unknownToken] as const] : []),
    ['sell equals buy', swapTarget(setParameter(query, 'buyToken', [trade.pair.sell.address]))],
    ['2^200 base units sold', swapTarget(exactInput(trade, 1n << 200n))],
    ['2^200 base units bought', swapTarget(exactOutput(trade, 1n << 200n))],
    ...[...facts.markets.values()].flatMap(({ chainId, pairsWithoutPlan }) =>
      pairsWithoutPlan
        .slice(0, 1)
        .map(
          ([sell, buy]): ObservedRequest => [
            `${formatQuoted(sell.symbol)} to ${formatQuoted(buy.symbol)}`,
            saleOf(chainId, sell.address, buy.address, 10n ** BigInt(sell.decimals)),
          ],
        ),
    ),
  ];
}

const isMalformed = written(/%(?![0-9A-F]{2})|%C3%28/);

/** @see Specification 7 */
export const rules: readonly Rule[] = [
  ...replyRules('any', {
    // "400 | Invalid parameters | Error": clients do not notice an Error with status 200.
    'error/not-with-200': {
      clause: '7 400',
      must: 'sends no Error with status 200',
      check: ({ reply, exchange }, t) => {
        const value = successBody(reply);
        if (exchange.endpoint === undefined || value === undefined) return undefined;
        const isPlain = !isError(value) || 'routes' in value || 'routers' in value;
        return t.check(
          faultUnless(
            isPlain,
            'error-with-200',
            words`status 400 or 500 with an Error`,
            () => words`${statusCode(200)} with ${quote(value)}`,
          ),
        );
      },
      breaks: [
        [
          {},
          { of: 'error', status: 200 },
          '200 with {"error":"INVALID","message":"sellAmount: zero","details":{"parameter":"sellAmount"}}',
        ],
        [
          {},
          { of: 'error', status: 200, endpoint: 'tokens' },
          '200 with {"error":"INVALID","message":"sellAmount: zero","details":{"parameter":"sellAmount"}}',
        ],
      ],
      valid: [
        [
          { '/message': 5 },
          {
            of: 'error',
            status: 200,
            endpoint: 'chainInfo',
            fails: [
              'chain-info/chain-id',
              'chain-info/name',
              'chain-info/repeats',
              'chain-info/routers',
              'chain-info/usd-token-address',
              'chain-info/wrapped-native-token-address',
            ],
          },
        ],
        [
          { '/error': 5 },
          {
            of: 'error',
            status: 200,
            endpoint: 'chainInfo',
            fails: [
              'chain-info/chain-id',
              'chain-info/name',
              'chain-info/repeats',
              'chain-info/routers',
              'chain-info/usd-token-address',
              'chain-info/wrapped-native-token-address',
            ],
          },
        ],
        [{ '': [] }, { of: 'error', status: 200, fails: ['swap/response'] }],
        [{ '/error': 'INVALID', '/message': 'sellAmount: zero' }],
        [{ '/error': 'INVALID', '/message': 'sellAmount: zero' }, { of: 'chainInfo' }],
      ],
      notApplicable: [
        [{}, { of: 'error', status: 200, endpoint: undefined }],
        [
          {},
          { of: 'error', status: 200, document: { kind: 'not-json', reason: 'ends in mid-value' } },
        ],
      ],
    },
    // "500 | Internal server error" is within the specification, but no client can work with it. A
    // service that sends `Retry-After` limits its load, which the specification leaves open.
    'endpoint/no-server-error': {
      clause: '7 500',
      should: 'returns no 500 for a request that it serves at other times',
      because:
        'A client cannot distinguish a fault in its request from one in the service, and does not know whether to retry.',
      check: when(
        (input) =>
          (input.isServedLater || succeededBefore(input)) &&
          input.reply.headers['retry-after'] === undefined,
        ({ reply: { status, document } }, t) =>
          t.check(
            faultUnless(
              status !== 500,
              'server-error',
              words`200, as for this request at other times`,
              () =>
                words`${statusCode(500)} with ${document.kind === 'json' ? quote(document.value) : 'no JSON'}`,
            ),
          ),
      ),
      breaks: [
        [
          {},
          { of: 'error', endpoint: 'chains', status: 500 },
          '500 with {"error":"INVALID","message":"sellAmount: zero","details":{"parameter":"sellAmount"}}',
        ],
        [
          {},
          {
            of: 'error',
            endpoint: 'chains',
            status: 500,
            document: { kind: 'not-json', reason: 'ends in mid-value' },
          },
          '500 with no JSON',
        ],
        [
          {},
          { of: 'error', endpoint: 'tokens', status: 500 },
          '500 with {"error":"INVALID","message":"sellAmount: zero","details":{"parameter":"sellAmount"}}',
        ],
        [
          {},
          { of: 'error', endpoint: 'chainInfo', status: 500 },
          '500 with {"error":"INVALID","message":"sellAmount: zero","details":{"parameter":"sellAmount"}}',
        ],
        [
          {},
          { of: 'error', endpoint: 'swap', status: 500, facts: 'traded' },
          '500 with {"error":"INVALID","message":"sellAmount: zero","details":{"parameter":"sellAmount"}}',
        ],
      ],
      notApplicable: [
        [{}, { of: 'error', endpoint: 'chains', status: 500, headers: { 'retry-after': ['1'] } }],
        [{}, { of: 'error', endpoint: 'chains', status: 500, exchange: { method: 'POST' } }],
        [{}, { of: 'error', endpoint: undefined, status: 500 }],
        [{}, { of: 'error', endpoint: 'chains', status: 500, facts: 'none' }],
        [{}, { of: 'error', endpoint: 'tokens', status: 500, query: { chainId: '5' } }],
        [
          {},
          {
            of: 'error',
            endpoint: 'swap',
            status: 500,
            query: { sellAmount: '1' },
            facts: 'traded',
          },
        ],
        [
          {},
          {
            of: 'error',
            endpoint: 'swap',
            status: 500,
            query: { useRfq: 'true' },
            facts: 'traded',
          },
        ],
      ],
    },
    // "The list of values of `error` [...]: not shown".
    'error/values-observed': {
      clause: '7 error values',
      observes: 'which values it returns in `error`',
      check: when(
        ({ exchange }) => exchange.endpoint !== undefined,
        observe((input) => {
          const [error] = errorObject(input);
          return error && `${input.reply.status} ${formatQuoted(error.value['error'])}`;
        }),
      ),
      breaks: [
        [{}, { of: 'error' }, '400 "INVALID"'],
        [{}, { of: 'error', endpoint: 'chains', status: 500 }, '500 "INVALID"'],
      ],
      notApplicable: [
        [{}, { of: 'error', status: 422 }],
        [{}, { of: 'error', document: { kind: 'not-json', reason: 'ends in mid-value' } }],
        [{ '': [] }, { of: 'error' }],
        [{}, { of: 'error', endpoint: undefined }],
      ],
    },
  }),
  ...probeRules({
    'endpoint/malformed-query': {
      clause: '7 400',
      should: 'rejects a required parameter that cannot be decoded, with 400 and an Error',
      because:
        '"Invalid parameters give 400": text that cannot be decoded is not a value of any parameter.',
      check: breakEncodings,
      breaks: [
        [on(isMalformed, respond(500)), 'expected 400 with an Error for …, got 500 "NO"'],
        [on(isMalformed, respond(200, {})), 'expected 400 with an Error for …, got 200'],
        [
          on(isMalformed, respond(400, '<h1>Bad Request</h1>')),
          'expected 400 with an Error for …, got 400 with "<h1>Bad Request</h1>"',
        ],
      ],
      couldNotRun: [['does not reply to malformed requests', on(isMalformed, () => 'no reply')]],
    },
    'error/missing-parameter-observed': {
      clause: '7 missing parameter',
      observes: 'which `error` it returns for a missing parameter',
      check: observeEach(
        ofFirstTrade((query) =>
          ['chainId', 'sellToken', 'buyToken', 'sellAmount'].map((name) => [
            `no ${name}`,
            swapTarget(setParameter(query, name, [])),
          ]),
        ),
      ),
    },
    'error/both-amounts-observed': {
      clause: '7 both amounts',
      observes: 'which `error` it returns for both amounts at once',
      check: observeEach(
        ofFirstTrade((query) => [
          ['both amounts', swapTarget(setParameter(query, 'buyAmount', ['1']))],
        ]),
      ),
    },
    'error/unknown-chain-observed': {
      clause: '7 unknown chain',
      observes: 'how it responds to an unknown chain',
      check: observeEach((session) => [
        ['/chainInfo', { path: PATHS.chainInfo, query: [['chainId', UNKNOWN_CHAIN]] }],
        ['/tokens', { path: PATHS.tokens, query: [['chainId', UNKNOWN_CHAIN]] }],
        ...ofFirstTrade((query) => [
          ['/swap', swapTarget(setParameter(query, 'chainId', [UNKNOWN_CHAIN]))],
        ])(session),
      ]),
    },
    'error/unsupported-pair-observed': {
      clause: '7 unsupported pair',
      observes: 'how it responds to pairs and amounts without a plan',
      check: observeEach(ofFirstTrade(withoutPlan)),
    },
  }),
];
