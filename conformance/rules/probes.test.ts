import { describe, expect, test } from 'vitest';
import { KEY_PLACEHOLDER, type RequestTarget } from '../client/request.ts';
import { isNative, NATIVE_ALIASES } from '../contract/names.ts';
import { ENDPOINTS, PATHS } from '../contract/paths.ts';
import type { RouterInfo } from '../contract/resources.ts';
import type { Facts } from '../discovery/facts.ts';
import { exactInput, tradesOf } from '../generate/trades.ts';
import type { ServiceChange } from '../model/breaks.ts';
import { BOUGHT, goldenChainInfo, goldenTokens, NATIVE } from '../model/golden-replies.testing.ts';
import { modelFacts, modelMarket } from '../model/model-market.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import { createRandom } from '../model/random.ts';
import type { ProbeRule } from '../model/rule.ts';
import {
  FACTS,
  findingLines,
  movingMarket,
  type Outcome,
  outcomeOf,
  SERVICES,
  unsteady,
} from '../rule-kit/broken-services.testing.ts';
import {
  all,
  any,
  buyLess,
  type Condition,
  changePlan,
  encodeAs,
  has,
  isEncoded,
  not,
  on,
  reject,
  respond,
  scale,
  to,
  unchanged,
  useMakers,
  written,
} from '../rule-kit/service-breaks.ts';
import { CATALOG } from './catalog.ts';

const probes = CATALOG.filter((rule): rule is ProbeRule => 'run' in rule);

function probe(id: string): ProbeRule {
  return probes.find((rule) => rule.id === id) ?? expect.fail(`no probe ${id}`);
}

/**
 * Outcomes of each probe on `SERVICES`, in their order: passes (.), fails (F), fails in part (f),
 * does not apply (-), could not run (?).
 */
const OUTCOMES = `
.....?.FF... endpoint/paths
...?........ plan/returned
...??....... plan/pairs-observed
...???.FF?F. plan/returned-for-buy-amount
...--?.????. swap/every-plan-encoded
...--??????? relation/calldata-leaves-plan
...?.?.FFFF. lookups/every-chain
...??....... lookups/tokens-tradable
...--??????? relation/repeats
...--??????? swap-response/calldata-differs
...--??????? relation/calldata
...??F.FFFF. swap/routers-plan
...-?F.FFFF. swap/encoders-encode
.....?.FF?F. endpoint/get
............ endpoint/other-methods-observed
...--??????? relation/parameter-order
...--??????? relation/percent-encoding
...--??????? relation/separator-at-end
...--??????? relation/separators
...??....... endpoint/separators-observed
...???.....F swap/key-required
...???.ff.fF swap/chain-id
...????..... swap/chain-id-lenience
...????FF?FF swap/sell-token
...????..... swap/sell-token-lenience
...????FF?FF swap/buy-token
...????..... swap/buy-token-lenience
...????FF?FF swap/sell-amount
...???...... swap/sell-amount-lenience
...????FF?FF swap/buy-amount
...???...... swap/buy-amount-lenience
...????FF?FF swap/exactly-one-amount
...????..... swap/exactly-one-amount-lenience
...????FF?FF swap/invalid-parameters
...????FF?FF swap/use-rfq
...????..... swap/use-rfq-lenience
...????FF?FF swap/router
...????..... swap/router-lenience
...????FF?FF swap/include-calldata
...????..... swap/include-calldata-lenience
...????FF?FF swap/calldata-needs
...????FF?FF swap/user-address
...????..... swap/user-address-lenience
...????FF?FF swap/recipient-address
...????..... swap/recipient-address-lenience
...????FF?FF swap/slippage-tolerance
...???...... swap/slippage-tolerance-lenience
...????FF?FF swap/slippage-tolerance-unused-strict
...--?.????. swap/flags-accepted
...--?.????. swap/recipient-accepted
...--....... swap/lost-recipients-observed
...--?.????. swap/user-accepted
...--?.????. swap/unused-accepted
...--?.????. swap/native-accepted
...--?.????. swap/native-aliases-accepted
...-........ swap/wrapping-observed
...????????? swap/exact-output-answered
...????????? swap/bought-can-be-sold
------------ relation/chains-apart
...--??????? relation/rfq-apart
...--??????? relation/native-aliases
...--??????? relation/default-rfq
...--??????? relation/default-router
...--??????? relation/default-calldata
...--??????? relation/slippage-leaves-plan
...--??????? relation/recipient-leaves-plan
...--??????? relation/user-leaves-plan
...--??????? relation/letter-case
...????????? relation/exact-output-costs-no-more
...????????? relation/exact-output-costs-no-less
...????????? relation/more-in-no-less-out
...????????? relation/price-does-not-improve
...?.?.....F tokens/key-required
...?.?.ff.fF tokens/asked-chain-id
...?.??..... tokens/asked-chain-id-lenience
.....?.....F chains/key-required
...?.?.....F chain-info/key-required
...?.?.ff.fF chain-info/asked-chain-id
...?.??..... chain-info/asked-chain-id-lenience
.....?....F. keys/key-is-enough
............ keys/missing-observed
............ keys/invalid-observed
...????FFFFF endpoint/malformed-query
...??....... error/missing-parameter-observed
...??....... error/both-amounts-observed
............ error/unknown-chain-observed
...??....... error/unsupported-pair-observed
...--?.????. swap/slippage-bounds
...???.ff?ff swap/smallest-amounts
...??....... endpoint/request-size-observed
`;
const SIGNS: Readonly<Record<Outcome, string>> = {
  passes: '.',
  fails: 'F',
  'fails in part': 'f',
  'does not apply': '-',
  'could not run': '?',
};

test('each probe on each service -> its outcome', async () => {
  const lines = probes.map(async (rule) => {
    const opened = Object.values(SERVICES).map(async (open) => {
      const verdict = await rule.run(open());
      expect(findingLines(verdict).join()).not.toMatch(/undefined:|\[object/);
      return SIGNS[outcomeOf(verdict)];
    });
    return `${(await Promise.all(opened)).join('')} ${rule.id}`;
  });
  expect(await Promise.all(lines)).toEqual(OUTCOMES.trim().split('\n'));
});

const routersOf = (...routers: readonly RouterInfo[]): Partial<Facts> => ({
  chainInfo: new Map([[31337, { ...goldenChainInfo(), routers }]]),
});
/** Facts in which some tokens were not traded. */
const untradedTokens = (...addresses: readonly string[]): Partial<Facts> => {
  const pairs = modelMarket.pairs.filter(
    ({ sell, buy }) => !addresses.includes(sell.address) && !addresses.includes(buy.address),
  );
  return { markets: new Map([[31337, { ...modelMarket, pairs }]]) };
};
const failsFirst = (times: number) => on(({ count }) => count < times, respond(500));
const isNow: Condition = ({ count }) => count % 5 === 3;
const isRepeated: Condition = ({ repeats }) => repeats > 0;
const isNativeTraded = any(
  ...NATIVE_ALIASES.flatMap((alias) => [has('sellToken', alias), has('buyToken', alias)]),
);
const isLarge = has('sellAmount', /^[0-9]{23,}$/);
const isTiny = has('sellAmount', RegExp(`^(1|${1n << 200n})$`));
/** One leg of each plan has too few base units to show a price. */
const tinyLegs = changePlan((body) => {
  body.routes[0].toTokens[0].amount = '99999';
});
/** Plans contain the native token by the alias that was requested. */
const echoAlias: ServiceChange = (reply, { params }) => {
  const alias = params.find(([, value]) => isNative(value))?.[1];
  return changePlan((body) => {
    for (const token of body.tokens) if (token.symbol === 'WRP') token.address = alias;
  })(reply);
};
const random = createRandom(1);
/** Calldata contains a new number each time. */
const salted: ServiceChange = (reply) =>
  encodeAs(`0x3593564c${String(Math.floor(random() * 1e10)).padStart(10, '0')}`)(reply);

type Row = [id: string, what: string, change: ServiceChange, facts?: Partial<Facts>];

/** Outcomes that are not a failure, on services that are allowed or broken in other ways. */
const OTHER_SERVICES: Partial<Readonly<Record<Outcome, Row[]>>> = {
  passes: [
    ['endpoint/get', 'fails once', failsFirst(1)],
    ['endpoint/get', 'fails twice', failsFirst(2)],
    ['relation/separators', 'rejects superfluous separators', on(written(/^&|&&|&$/), reject)],
    ['plan/returned', 'stopped planning', reject],
    [
      'swap/every-plan-encoded',
      'encodes for no router by name',
      on(all(isEncoded, has('router')), reject),
    ],
    [
      'swap-response/calldata-differs',
      'has one calldata for all recipients',
      on(has('recipientAddress'), encodeAs('0x3593564c')),
    ],
    ['lookups/tokens-tradable', 'trades all', unchanged, untradedTokens(BOUGHT)],
    [
      'lookups/tokens-tradable',
      'only sells a token',
      on(has('buyToken', BOUGHT), reject),
      untradedTokens(BOUGHT),
    ],
    [
      'lookups/tokens-tradable',
      'lists the native token, which another rule tries',
      unchanged,
      {
        tokens: new Map([[31337, [...goldenTokens(), { ...goldenTokens()[0], address: NATIVE }]]]),
      },
    ],
    ['lookups/tokens-tradable', 'is down on one chain', respond(500), FACTS.noTokenTraded],
    [
      'relation/repeats',
      'plans worse the second time',
      on(({ repeats }) => repeats === 1, buyLess),
    ],
    ['swap/routers-plan', 'trades one token only', on(not(has('buyToken', /^0xd/)), reject)],
    ...ENDPOINTS.map(
      (endpoint): Row => [
        `${endpoint === 'chainInfo' ? 'chain-info' : endpoint}/key-required`,
        'returns 200 for other operations',
        on(not(to(endpoint)), respond(200, {})),
      ],
    ),
    [
      'swap/flags-accepted',
      'rejects a value now and then',
      on(all(isNow, has('useRfq', 'true')), reject),
    ],
    [
      'swap/flags-accepted',
      'rejects some amounts',
      on(all(has('useRfq', 'true'), has('sellAmount', /0$/)), reject),
    ],
    [
      'swap/native-aliases-accepted',
      'rejects one alias once',
      on(all(has('sellToken', NATIVE_ALIASES[1]), not(isRepeated)), reject),
    ],
    [
      'swap/smallest-amounts',
      'has status 409 for any trade without a plan',
      on(isTiny, respond(409)),
    ],
    ['swap/smallest-amounts', 'fails for any trade without a plan', on(isTiny, respond(500))],
    ['relation/calldata', 'salts calldata', salted],
    ['relation/chains-apart', 'is sound', unchanged, FACTS.twoChains],
    ['relation/chains-apart', 'has a moving market', movingMarket, FACTS.twoChains],
    ['relation/chains-apart', 'is unsteady', unsteady, FACTS.twoChains],
    [
      'relation/rfq-apart',
      'uses makers for every second request',
      on(({ count }) => count % 2 === 1, useMakers),
    ],
    ['relation/rfq-apart', 'uses makers', useMakers],
    ['relation/native-aliases', 'echoes the alias', echoAlias],
    [
      'relation/exact-output-costs-no-more',
      'doubles the price of exact outputs',
      on(has('buyAmount'), scale('sell', 2n)),
    ],
    [
      'relation/exact-output-costs-no-less',
      'doubles the price of exact outputs',
      on(has('buyAmount'), scale('sell', 2n)),
    ],
    [
      'relation/price-does-not-improve',
      'has a better price for large trades',
      on(isLarge, scale('buy', 10_000n)),
    ],
  ],
  'could not run': [
    ['endpoint/get', 'fails since discovery', failsFirst(3)],
    [
      'endpoint/malformed-query',
      'falls silent',
      on(written(/%(?![0-9A-F]{2})|%C3%28/), () => 'no reply'),
    ],
    ['plan/returned', 'is silent', () => 'no reply', FACTS.untraded],
    [
      'swap/flags-accepted',
      'rejects every second request',
      on(any(has('useRfq'), has('includeCalldata'), isRepeated), reject),
    ],
    [
      'swap/bought-can-be-sold',
      'stops planning during the run',
      on(({ count }) => count > 20, reject),
    ],
    ['relation/chains-apart', 'plans nothing', reject, FACTS.twoChains],
    ['relation/exact-output-costs-no-less', 'rounds', tinyLegs],
    ['relation/price-does-not-improve', 'rounds', tinyLegs],
  ],
  'does not apply': [
    ['swap/routers-plan', 'has no router', reject, routersOf()],
    ['swap/encoders-encode', 'has no encoder', reject, routersOf(goldenChainInfo().routers[1])],
    [
      'swap/encoders-encode',
      'has a chain with other addresses',
      reject,
      { markets: new Map([[31337, { ...modelMarket, addresses: 'other' }]]) },
    ],
    ['swap/native-aliases-accepted', 'has no native token', on(isNativeTraded, reject)],
  ],
};

describe.each(Object.entries(OTHER_SERVICES))('another service -> %s', (outcome, rows) => {
  test.each<Row>(rows)('%s: %s', async (id, _what, change, facts) => {
    const verdict = await probe(id).run(modelSession(change, facts));
    expect(outcomeOf(verdict)).toBe(outcome);
  });
});

const ENCODED = 'includeCalldata=true userAddress=0x0*32c0ffee01 slippageTolerance=0.01';
const OPERATIONS = ['chains', 'tokens', 'chainInfo', 'swap'];

/** Requests sent to the sound service, as they differ from the first trade; `...` ends the first of many. */
const REQUESTS: Readonly<Record<string, readonly string[]>> = {
  'endpoint/paths': ['swap -sellToken -buyToken -sellAmount', 'tokens', 'chains', 'chainInfo'],
  'plan/returned': [],
  'lookups/every-chain': ['tokens', 'chainInfo', 'tokens chainId=501', 'chainInfo chainId=501'],
  'lookups/tokens-tradable': [],
  'endpoint/get': ['chains'],
  'endpoint/other-methods-observed': ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].map(
    (method) => `${method} chains`,
  ),
  'tokens/key-required': ['tokens -apiKey', 'tokens apiKey='],
  'chains/key-required': ['chains -apiKey', 'chains apiKey='],
  'chain-info/key-required': ['chainInfo -apiKey', 'chainInfo apiKey='],
  // In each form, with calldata too.
  'swap/key-required': [
    'swap -apiKey',
    'swap apiKey=',
    'swap -sellAmount -apiKey buyToken=0xb*40 buyAmount=10*8',
    'swap -sellAmount buyToken=0xb*40 buyAmount=10*8 apiKey=',
    `swap -apiKey buyToken=0xd*40 router=default-router ${ENCODED}`,
    '...',
  ],
  'swap/lost-recipients-observed': ['', 'e', 'f', 'a', 'b', '1'].map(
    (digit) => `swap router=default-router ${ENCODED}${digit && ` recipientAddress=0x${digit}*40`}`,
  ),
  'swap/wrapping-observed': ['swap buyToken=0xa*40 sellAmount=10*15'],
  'keys/key-is-enough': OPERATIONS,
  'keys/missing-observed': OPERATIONS.flatMap((operation) => [
    `${operation} -apiKey`,
    `${operation} apiKey=`,
  ]),
  'keys/invalid-observed': OPERATIONS.flatMap((operation) => [
    `${operation} apiKey=swapcheck-unknown-key`,
    `${operation} apiKey twice`,
  ]),
  'error/missing-parameter-observed': [
    'swap -chainId',
    'swap -sellToken',
    'swap -buyToken',
    'swap -sellAmount',
  ],
  'error/both-amounts-observed': ['swap buyAmount=1'],
  'error/unknown-chain-observed': ['chainInfo', 'tokens', 'swap'].map(
    (operation) => `${operation} chainId=987654321987`,
  ),
  'error/unsupported-pair-observed': [
    'swap buyToken=0x5*40',
    'swap buyToken=0x0*40',
    `swap sellAmount=${1n << 200n}`,
    `swap -sellAmount buyAmount=${1n << 200n}`,
  ],
  'swap/smallest-amounts': [
    'swap sellAmount=0',
    'swap sellAmount=1',
    'swap -sellAmount buyAmount=0',
    'swap -sellAmount buyAmount=1',
    '...',
  ],
  'endpoint/request-size-observed': [
    'swap unknown=1',
    'swap unknown=x*4096',
    'swap unknown=x*65536',
    'swap sellAmount=9*1000',
  ],
};

const [trade] = tradesOf(modelFacts);
if (trade === undefined) throw new Error('the model has no trade');

test.each(Object.entries(REQUESTS))('%s -> its requests', async (id, requests) => {
  const session = modelSession();
  await probe(id).run(session);
  const sent = [...new Set(session.sent.map(describeRequest))];
  const isCut = requests.at(-1) === '...';
  expect(isCut ? [...sent.slice(0, requests.length - 1), '...'] : sent).toEqual(requests);
});

/** Describes a request by its operation and its differences from a sound one: `swap -chainId buyAmount=1`. */
function describeRequest({ method = 'GET', path, query, key }: RequestTarget): string {
  const sound = new Map([
    ...(path === PATHS.swap ? exactInput(trade as NonNullable<typeof trade>) : []),
    ...(path === PATHS.chains ? [] : [['chainId', '31337'] as const]),
    ['apiKey', KEY_PLACEHOLDER] as const,
  ]);
  const given = [...new URLSearchParams(query as string)];
  if (key !== 'as-written') given.push(['apiKey', KEY_PLACEHOLDER]);
  const names = given.map(([name]) => name);
  const short = (value: string) => value.replace(/(.)\1{7,}/g, (run) => `${run[0]}*${run.length}`);
  return [
    ...(method === 'GET' ? [] : [method]),
    path.replace(/^.*\//, ''),
    ...[...sound.keys()].filter((name) => !names.includes(name)).map((name) => `-${name}`),
    ...given
      .filter(([name, value]) => sound.get(name) !== value)
      .map(([name, value]) => `${name}=${short(value)}`),
    ...names.filter((name, index) => names.indexOf(name) < index).map((name) => `${name} twice`),
  ].join(' ');
}

describe('lookups/tokens-tradable', () => {
  test.each([
    [unchanged, 1],
    [on(has('buyToken', BOUGHT), reject), 4],
  ])(
    'a token without a known trade -> requests until there is a plan',
    async (change, requests) => {
      const session = modelSession(change, untradedTokens(BOUGHT));
      const verdict = await probe('lookups/tokens-tradable').run(session);
      expect([verdict.kind, session.sent.length]).toEqual(['judged', requests]);
    },
  );
});

describe('endpoint/malformed-query', () => {
  const isMalformed = /%(?![0-9A-F]{2})|%C3%28/;
  const rule = probe('endpoint/malformed-query');

  test('each required parameter is malformed', async () => {
    const session = modelSession();
    await rule.run(session);
    const sent = session.sent.map(({ query }) => String(query));
    for (const name of [
      'chainId',
      'sellToken',
      'buyToken',
      'sellAmount',
      'buyAmount',
      'userAddress',
    ]) {
      for (const text of ['%ZZ', '%', '%C3%28']) {
        expect(sent.some((query) => query.split('&').includes(`${name}=${text}`))).toBe(true);
      }
    }
    expect(sent.every((raw) => isMalformed.test(raw))).toBe(true);
  });

  test('a service that falls silent -> gets a sound request each time', async () => {
    const session = modelSession(on(written(isMalformed), () => 'no reply'));
    await rule.run(session);
    const malformed = session.sent.filter(({ query }) => isMalformed.test(String(query)));
    expect(malformed).toHaveLength(session.sent.length / 2);
  });
});

test('error/unsupported-pair-observed: a pair rejected during discovery -> requested again, one of each chain', async () => {
  const [sell, buy] = [trade.pair.sell, { ...trade.pair.buy, symbol: 'NONE' }];
  const pairsWithoutPlan = [
    [sell, buy],
    [buy, sell],
  ] as const;
  const markets = new Map([[31337, { ...trade.market, pairsWithoutPlan }]]);
  const session = modelSession(unchanged, { markets });
  expect(await probe('error/unsupported-pair-observed').run(session)).toMatchObject({
    observed: expect.arrayContaining([
      { text: expect.stringMatching(/^"[A-Z]+" to "NONE": 200$/) },
    ]),
  });
});
