import { describe, expect, test } from 'vitest';
import { addressKey, isHexAddress, isHexBytes, isPoolIdentifier } from '../checks/hex.ts';
import type { RequestTarget } from '../client/request.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import type { Facts } from '../discovery/facts.ts';
import type { ProbeRule, ProbeVerdict } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import type { SettledPlan } from '../model/settlement.ts';
import {
  addressesOf,
  isKnownToken,
  knownChain,
  usesHexAddresses,
} from '../rule-kit/known-chains.ts';
import { bpBetween, describeDistances, middle, signed } from '../rule-kit/quote-distance.ts';
import { NO_WORD } from '../rule-kit/reply-status.ts';
import { askedFor, chainAskedFor } from '../rule-kit/request-parameters.ts';
import { CATALOG } from './catalog.ts';
import {
  failing,
  type Given,
  given,
  goldenChainInfo,
  goldenChains,
  goldenError,
  goldenFacts,
  goldenQuery,
  goldenSwap,
  goldenTokens,
  type Loose,
  NATIVE,
  USD,
  verdictOn,
  WRAPPED,
} from './golden.testing.ts';
import { type Answer, modelSession } from './model-service.testing.ts';

/* Both sides of each bound, and replies that leave out what rules look for. */

const address = `0x${'a'.repeat(40)}`;
const exchangeWith = (query: Readonly<Record<string, string>>) => given({}, { query }).exchange;

describe('spellings', () => {
  test.each([
    [isHexAddress, `x${address}`, false],
    [isHexAddress, `${address} `, false],
    [isPoolIdentifier, `x0x${'a'.repeat(64)}`, false],
    [isPoolIdentifier, `0x${'a'.repeat(64)}`, true],
    [isHexBytes, 'ab0xab', false],
    [isHexBytes, '0xabzz', false],
    [isHexBytes, '0xab', true],
  ] as const)('%o of %s -> %s', (is, text, expected) => {
    expect(is(text)).toBe(expected);
  });

  test.each([
    ['31337', 31337],
    ['0', 0],
    ['031337', undefined],
    ['x31337', undefined],
    ['31337x', undefined],
    ['1234567890123456', 1234567890123456],
    ['12345678901234567', undefined],
  ])('chainId=%s -> %s', (text, expected) => {
    expect(chainAskedFor(exchangeWith({ chainId: text }))).toBe(expected);
  });

  test('no value, or two -> not known what was asked', () => {
    const exchange = exchangeWith({ chainId: '1' });
    expect(askedFor(exchange, 'chainId')).toBe('1');
    expect(askedFor(exchange, 'router')).toBeUndefined();
    expect(chainAskedFor(exchangeWith({}))).toBeUndefined();
    const twice = { ...exchange, query: [...exchange.query, ...exchange.query] };
    expect(askedFor(twice, 'chainId')).toBeUndefined();
  });
});

describe('what is known of a chain', () => {
  test('hex addresses -> by majority, not by half', () => {
    expect(usesHexAddresses([address, address, 'So1'])).toBe(true);
    expect(usesHexAddresses([address, 'So1'])).toBe(false);
    expect(usesHexAddresses([])).toBe(false);
  });

  test('addresses -> those of /chainInfo, then those of /tokens', () => {
    const { routers } = goldenChainInfo();
    const listed = goldenTokens().map((token: { address: string }) => token.address);
    const deployed = routers.map((router: { deployedAddress: string }) => router.deployedAddress);
    expect(addressesOf(goldenFacts, 31337)).toEqual([USD, WRAPPED, ...deployed, ...listed]);
    expect(addressesOf({ ...goldenFacts, chainInfo: new Map() }, 31337)).toEqual(listed);
    expect(addressesOf({ ...goldenFacts, tokens: new Map() }, 31337)).toHaveLength(4);
    expect(addressesOf(goldenFacts, undefined)).toEqual([]);
    expect(addressesOf(undefined, 31337)).toEqual([]);
  });

  test('chains and tokens -> those that were named', () => {
    expect(knownChain(goldenFacts, 501)?.name).toBe('Other');
    expect(knownChain(goldenFacts, 502)).toBeUndefined();
    expect(knownChain(undefined, 501)).toBeUndefined();
    expect(
      isKnownToken(goldenFacts, 31337, addressKey(USD).toUpperCase().replace('0X', '0x')),
    ).toBe(true);
    expect(isKnownToken(goldenFacts, 31337, NATIVE)).toBe(true);
    expect(isKnownToken(goldenFacts, 31337, `0x${'8'.repeat(40)}`)).toBe(false);
    expect(isKnownToken(goldenFacts, 501, USD)).toBe(false);
  });
});

/** Two sides of ten tokens each at prices and amounts that a test sets. */
function sides(change: (body: Loose) => void): Loose {
  const body = goldenSwap();
  body.tokens = [body.tokens[0], body.tokens[3]];
  for (const token of body.tokens) Object.assign(token, { usdPrice: 1, decimals: 3 });
  const [sell, buy] = [
    { referenceId: 7, amount: '10000' },
    { referenceId: 600, amount: '10000' },
  ];
  body.sell = sell;
  body.buy = buy;
  body.routes = [{ ...body.routes[0], fromTokens: [sell], toTokens: [buy] }];
  change(body);
  return body;
}

describe('swap/usd-values-agree', () => {
  const fails = (change: (body: Loose) => void) => {
    const verdict = verdictOn('swap/usd-values-agree', given(sides(change)));
    return verdict === undefined ? 'n/a' : verdict.findings.length > 0;
  };
  const amounts = (sold: string, bought: string) => (b: Loose) => {
    b.sell.amount = sold;
    b.buy.amount = bought;
  };
  test.each<[what: string, change: (body: Loose) => void, expected: boolean | 'n/a']>([
    ['10 USD for a tenth', amounts('10000', '1000'), false],
    ['10 USD for less', amounts('10000', '999'), 'n/a'],
    ['more than 10 USD for less than a tenth', amounts('10001', '1000'), false],
    ['10 USD for ten times as much', amounts('10000', '100000'), false],
    ['10 USD for more', amounts('10000', '100001'), true],
    ['1,000 base units', amounts('1000', '1000'), false],
    ['999 base units', amounts('999', '1000'), 'n/a'],
    ['a price of 0', (b) => (b.tokens[0].usdPrice = 0), 'n/a'],
    ['a price below 0', (b) => (b.tokens[1].usdPrice = -1), 'n/a'],
    ['no price', (b) => delete b.tokens[0].usdPrice, 'n/a'],
    ['no price to buy at', (b) => delete b.tokens[1].usdPrice, 'n/a'],
    ['decimals in words', (b) => (b.tokens[1].decimals = '3'), 'n/a'],
    // A cent for less than a tenth of it: more digits, so that the amounts are above 999.
    [
      'a cent for less than a tenth',
      (b) => {
        for (const token of b.tokens) token.decimals = 6;
        amounts('10000', '1000')(b);
        b.tokens[1].usdPrice = 0.9;
      },
      true,
    ],
    [
      'less than a cent',
      (b) => {
        for (const token of b.tokens) token.decimals = 6;
        amounts('9999', '1000')(b);
        b.tokens[1].usdPrice = 0.9;
      },
      false,
    ],
    [
      '10 USD for less than a tenth',
      (b) => {
        amounts('10000', '1000')(b);
        b.tokens[1].usdPrice = 0.9;
      },
      true,
    ],
  ])('%s -> %s', (_what, change, expected) => {
    expect(fails(change)).toBe(expected);
  });
});

describe('prices', () => {
  const native = (body: Loose, price: number, wrapped: number) => {
    body.nativeTokenUsdPrice = price;
    body.tokens[2].usdPrice = wrapped;
  };
  const idsOf = (change: (body: Loose) => void) => {
    const body = goldenSwap();
    change(body);
    return [...failing(given(body)).keys()].filter((id) => /price/.test(id));
  };
  test.each<[what: string, change: (body: Loose) => void, fails: readonly string[]]>([
    ['half a USD', (b) => (b.tokens[1].usdPrice = 0.5), []],
    ['two USD', (b) => (b.tokens[1].usdPrice = 2), []],
    ['nothing', (b) => (b.tokens[0].usdPrice = 0), []],
    ['1 % off', (b) => native(b, 101, 100), []],
    ['nothing for native', (b) => native(b, 0, 0), []],
    [
      'a word for native',
      (b) => (b.nativeTokenUsdPrice = '1'),
      ['swap-response/native-token-usd-price'],
    ],
  ])('%s -> %j', (_what, change, expected) => {
    expect(idsOf(change)).toEqual(expected);
  });
});

describe('replies that leave something out', () => {
  const emptied = (field: string, value: unknown) => ({ ...goldenSwap(), [field]: value });
  const { chainId: _chain, ...withoutChain } = goldenQuery;
  const { sellAmount: _amount, ...withoutAmount } = goldenQuery;
  const { sellToken: _token, ...withoutToken } = goldenQuery;
  const native = { ...goldenQuery, sellToken: NATIVE };
  const broken = { document: { kind: 'not-json', reason: 'ends in mid-value' } } as const;
  const nowhere = { ...goldenFacts, chainInfo: new Map(), chains: [] };
  test.each<[what: string, body: Loose, options: Given]>([
    ['no routes', emptied('routes', []), {}],
    ['no tokens', emptied('tokens', []), {}],
    ['nothing known', goldenSwap(), { facts: undefined }],
    ['native, nothing known', goldenSwap(), { facts: undefined, query: native }],
    ['native, chain unknown', goldenSwap(), { facts: nowhere, query: native }],
    ['native, chain not named', goldenSwap(), { query: { ...withoutChain, sellToken: NATIVE } }],
    ['native, no such token', { ...emptied('tokens', []), routes: [] }, { query: native }],
    ['chain not named', goldenSwap(), { query: withoutChain }],
    ['token not named', goldenSwap(), { query: withoutToken }],
    ['no amount', goldenSwap(), { query: withoutAmount }],
    ['both amounts', goldenSwap(), { query: { ...goldenQuery, buyAmount: '1' } }],
    ['an amount in words', goldenSwap(), { query: { ...goldenQuery, sellAmount: 'ten' } }],
    ['no plan', { error: 'E' }, { query: { ...withoutAmount, buyAmount: '1' } }],
    ['no chains', [], { endpoint: 'chains' }],
    ['no chains known', goldenChains(), { endpoint: 'chains', facts: nowhere }],
    ['chains, nothing known', goldenChains(), { endpoint: 'chains', facts: undefined }],
    ['chains turned round', goldenChains().reverse(), { endpoint: 'chains' }],
    ['no tokens listed', [], { endpoint: 'tokens' }],
    ['tokens, nothing known', goldenTokens(), { endpoint: 'tokens', facts: undefined }],
    ['chain, nothing known', goldenChainInfo(), { endpoint: 'chainInfo', facts: undefined }],
    ['chain not asked for', goldenChainInfo(), { endpoint: 'chainInfo', query: {} }],
    ['chain unknown', goldenChainInfo(), { endpoint: 'chainInfo', facts: nowhere }],
    ['no routers', { ...goldenChainInfo(), routers: [] }, { endpoint: 'chainInfo' }],
    ['no object', [], { endpoint: 'chainInfo', facts: undefined }],
    ['an error cut short', goldenError(), { status: 500, ...broken }],
    ['an error asked to wait', goldenError(), { status: 500, headers: { 'retry-after': ['1'] } }],
    ['an error of no operation', goldenError(), { status: 400, endpoint: undefined }],
    ['words of no operation', 'no', { status: 500, endpoint: undefined }],
    ['an error with 200 of no operation', goldenError(), { endpoint: undefined }],
    ['half an error with 200', { error: 'E', message: 5 }, { endpoint: 'chainInfo' }],
    ['the other half', { error: 5, message: 'm' }, { endpoint: 'chainInfo' }],
    ['an error beside routes', { ...goldenSwap(), ...goldenError() }, {}],
    [
      'an error beside routers',
      { ...goldenChainInfo(), ...goldenError() },
      { endpoint: 'chainInfo' },
    ],
    ['404 to a chain nobody named', 'no', { status: 404, query: { ...goldenQuery, chainId: '7' } }],
    ['404 to no chain', 'no', { status: 404, query: withoutChain }],
    ['404 to no token', 'no', { status: 404, query: withoutToken }],
    ['404 to another chain', 'no', { status: 404, endpoint: 'tokens', query: { chainId: '7' } }],
    ['another content type', {}, { headers: { 'content-type': ['x-application/json'] } }],
    ['a padded content type', {}, { headers: { 'content-type': [' application/json '] } }],
    [
      'a capture of nothing',
      {},
      { origin: 'captured', headers: { 'content-type': ['text/html'] } },
    ],
    [
      'limits in headers',
      {},
      { headers: { 'x-ratelimit-b': ['1'], 'ratelimit-a': ['1'], 'x-retry-after': ['1'] } },
    ],
  ])('%s -> the same rules judge and fail', (_what, body, options) => {
    const input = given(body, options);
    const verdicts = CATALOG.map(({ id }) => ({ id, verdict: verdictOn(id, input) }));
    const told = verdicts.flatMap(({ id, verdict }) => {
      if (verdict === undefined) return [];
      const { findings, observed } = verdict;
      const said = findings.map(
        ({ expected, actual, pointer }) => `${expected} | ${actual} | ${pointer}`,
      );
      return [[id, ...said, ...(observed === undefined ? [] : [observed])].join(' > ')];
    });
    expect(told.filter((line) => line.includes(' > '))).toMatchSnapshot();
    expect(told.map((line) => line.split(' > ')[0]).join(' ')).toMatchSnapshot();
  });

  test('a chain of which nothing else is known -> its own addresses tell its kind', () => {
    const judge = (body: Loose, endpoint: 'chainInfo' | 'tokens') => [
      ...failing(given(body, { endpoint, facts: undefined })).keys(),
    ];
    expect(judge({ ...goldenChainInfo(), usdTokenAddress: '0x12' }, 'chainInfo')).toEqual([
      'chain-info/usd-token-address-hex',
    ]);
    const [first, ...rest] = goldenChainInfo().routers;
    const routers = [{ ...first, deployedAddress: 'router' }, ...rest];
    expect(judge({ ...goldenChainInfo(), routers }, 'chainInfo')).toEqual([
      'router-info/deployed-address-hex',
    ]);
    const [token, ...tokens] = goldenTokens();
    expect(judge([{ ...token, address: '0x12' }, ...tokens], 'tokens')).toEqual([
      'token-info/address-hex',
    ]);
  });
});

describe('single bounds', () => {
  test('no reply -> what was expected, and the cause', () => {
    const { exchange } = given({});
    const outcome = { kind: 'no-reply', cause: 'reset', message: 'It hung up.' } as const;
    const input = { ...given({}), exchange: { ...exchange, outcome } };
    expect(verdictOn('endpoint/answers', input)?.findings).toEqual([
      { expected: 'a complete reply in time', actual: 'It hung up.' },
    ]);
  });

  test('414 to a target of 4,000 characters -> not judged; to a shorter one -> fails', () => {
    const verdict = (length: number) => {
      const input = given('no', { status: 414 });
      const exchange = { ...input.exchange, target: 'x'.repeat(length) };
      return verdictOn('endpoint/status', { ...input, exchange })?.findings.length;
    };
    expect([verdict(4_000), verdict(3_999)]).toEqual([undefined, 1]);
  });

  test('a router asked for by a name that is none -> no default is expected', () => {
    const input = given(goldenSwap(), { query: { ...goldenQuery, router: 'none' } });
    expect(verdictOn('swap/router-default', input)).toBeUndefined();
    expect(verdictOn('swap/router-echoed', input)).toBeUndefined();
  });

  test('addresses of a chain in another letter case, sources in another order -> what they were', () => {
    const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`;
    const info = goldenChainInfo();
    info.usdTokenAddress = upper(info.usdTokenAddress);
    for (const router of info.routers) {
      router.deployedAddress = upper(router.deployedAddress);
      router.liquiditySources.reverse();
    }
    const input = given(info, { endpoint: 'chainInfo', query: { chainId: '31337' } });
    expect([...failing(input).keys()]).toEqual([]);
  });

  test('a gas limit with a word behind it -> fails', () => {
    const input = given({ ...goldenSwap(), gasLimit: '350000 gas' });
    expect([...failing(input).keys()]).toEqual(['swap-response/gas-limit-positive']);
  });
});

describe('probes that try again', () => {
  const run = (id: string, session: Session): Promise<ProbeVerdict> => {
    const rule = CATALOG.find((each): each is ProbeRule => each.id === id && 'run' in each);
    if (rule === undefined) throw new Error(`no probe ${id}`);
    return rule.run(session);
  };
  const inWords = (verdict: ProbeVerdict) =>
    verdict.kind === 'judged'
      ? [
          verdict.checks,
          ...new Set(verdict.findings.map((each) => `${each.expected} | ${each.actual}`)),
        ]
      : [`${verdict.kind}: ${verdict.why}`];
  const refused: Answer = { status: 500, body: { error: 'E', message: 'm' } };

  test.each([0, 1, 2, 3, 4])('/chains fails %d times -> 200 within three tries', async (times) => {
    const session = modelSession((answer, _params, _path, count) =>
      count < times ? refused : answer,
    );
    const verdict = await run('endpoint/get', session);
    const outage = [`could-not-run: ${NO_WORD}`];
    expect(inWords(verdict)).toEqual(times < 3 ? [1] : outage);
    expect(session.sent.length).toBe(Math.min(times + 1, 3));
  });

  test('/chains never answered -> told', async () => {
    const session = { ...modelSession(() => refused), facts: NO_FACTS };
    expect(inWords(await run('endpoint/get', session))).toEqual([
      1,
      '200 for /chains | 500 "E", 3 times',
    ]);
  });

  test.each(['swap/router', 'swap/router-strict'])(
    '%s: broken requests fail with 500 -> told, unless whole ones fail too',
    async (id) => {
      const failing = (isWholeAnswered: boolean) =>
        modelSession((answer) => (isWholeAnswered && answer.status === 200 ? answer : refused));
      const verdict = await run(id, failing(true));
      expect(verdict.kind === 'judged' && verdict.findings.length).toBeGreaterThan(0);
      expect(inWords(await run(id, failing(false)))).toEqual([`could-not-run: ${NO_WORD}`]);
    },
  );

  test('an amount of 1 fails with 500 -> told, unless trades without a plan all do', async () => {
    const [tiny, beyond] = ['1', String(1n << 200n)];
    const failing = (...amounts: string[]) =>
      modelSession((answer, params) => {
        const isFailed = params.some(
          ([name, value]) => /Amount$/.test(name) && amounts.includes(value),
        );
        return isFailed ? refused : answer;
      });
    expect(inWords(await run('swap/smallest-amounts', failing(tiny)))).toEqual(
      expect.arrayContaining(['200 or 400 for `sellAmount=1` | 500 "E"']),
    );
    const verdict = await run('swap/smallest-amounts', failing(tiny, beyond));
    expect(verdict.kind === 'judged' && verdict.findings).toEqual([]);
  });

  test('the id of one chain is that of another without its sign -> not held against it', async () => {
    const zero = { chainId: 0, name: 'Zero' };
    const session = modelSession((answer, params) =>
      params.some(([name, value]) => name === 'chainId' && value === '0')
        ? { status: 200, body: [] }
        : answer,
    );
    const strict = async (facts: Facts) =>
      inWords(await run('tokens/asked-chain-id-strict', { ...session, facts })).slice(1);
    expect(await strict(session.facts)).toEqual(['no 200 for `chainId` zero | 200']);
    expect(await strict({ ...session.facts, chains: [...session.facts.chains, zero] })).toEqual([]);
  });

  test.each(['swap/flags-accepted', 'swap/slippage-bounds', 'swap/recipient-accepted'])(
    '%s: a value refused, between two requests without it -> told, unless those fail too',
    async (id) => {
      const isVaried = (params: readonly (readonly [string, string])[]) =>
        params.some(([name, value]) =>
          id === 'swap/slippage-bounds'
            ? name === 'slippageTolerance' && value !== '0.01'
            : /^(useRfq|recipientAddress)$/.test(name) ||
              (name === 'includeCalldata' && value === 'false'),
        );
      const varied = await run(
        id,
        modelSession((answer, params) => (isVaried(params) ? refused : answer)),
      );
      expect(inWords(varied)).toMatchSnapshot();
      const all = await run(
        id,
        modelSession(() => refused),
      );
      expect(inWords(all)).toEqual(['could-not-run: no request was answered with 200 twice']);
      const asked = new Map<string, number>();
      const fading = modelSession((answer, params) => {
        const times = (asked.get(String(params)) ?? 0) + 1;
        asked.set(String(params), times);
        return isVaried(params) || times > 1 ? refused : answer;
      });
      expect((await run(id, fading)).kind === 'judged').toBe(false);
    },
  );

  test('a plea for more credentials -> asks too much', async () => {
    const session = modelSession();
    const get = async (target: RequestTarget) => {
      const exchange = await session.get(target);
      const { outcome } = exchange;
      if (outcome.kind === 'no-reply') return exchange;
      const headers = { ...outcome.headers, 'www-authenticate': ['Basic'] };
      return { ...exchange, outcome: { ...outcome, headers } };
    };
    const verdict = await run('keys/key-is-enough', { ...session, get });
    expect(inWords(verdict)).toEqual([4, 'no further credential | 200']);
  });

  test('an Error without one of its two fields, or with another status -> no Error', async () => {
    const words = async (body: Loose, status = 400) =>
      inWords(
        await run(
          'swap/sell-amount',
          modelSession((answer) => (answer.status === 400 ? { status, body } : answer)),
        ),
      ).slice(1, 2);
    expect(await words({ error: 'E', message: 'm' })).toEqual([]);
    expect(await words({ error: 'E', message: 'm' }, 422)).toMatchSnapshot();
    expect(await words({ error: 'E' })).toMatchSnapshot();
    expect(await words({ error: 5, message: 'm' })).toMatchSnapshot();
    expect(await words(null)).toMatchSnapshot();
  });
});

describe('distances from quotes', () => {
  const settled = (swapKind: 'exact-input' | 'exact-output', spent: bigint, received: bigint) =>
    ({
      request: { swapKind },
      plan: { sell: { amount: 10_000n }, buy: { amount: 20_000n } },
      effects: { kind: 'settled', spent, received },
    }) as unknown as SettledPlan;
  const reverted = { effects: { kind: 'reverted' } } as unknown as SettledPlan;

  test('trades -> the median and the range, better above 0', () => {
    const trades = [
      settled('exact-input', 1n, 20_200n),
      settled('exact-output', 10_050n, 1n),
      reverted,
      settled('exact-input', 1n, 20_002n),
    ];
    expect(describeDistances(trades)).toBe(
      '+1 bp from the quote in the median, from -50 to +100; above 0 is better',
    );
    expect(describeDistances([settled('exact-input', 1n, 20_000n)])).toBe(
      '0 bp from the quote in the median; above 0 is better',
    );
    expect(describeDistances([reverted])).toBe('no trade settled');
  });

  test('single figures -> with sign, two places, and 0 where there is nothing', () => {
    expect([signed(3), signed(0), signed(-3)]).toEqual(['+3', '0', '-3']);
    expect([bpBetween(10_001n, 10_000n), bpBetween(99n, 100n), bpBetween(1n, 0n)]).toEqual([
      1, -100, 0,
    ]);
    expect([middle([1, 2, 9]), middle([])]).toEqual([2, 0]);
  });
});
