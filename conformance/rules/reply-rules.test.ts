import { describe, expect, test } from 'vitest';
import type { Exchange, NoReply } from '../client/exchange.ts';
import type { JudgedReply } from '../model/rule.ts';
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
  SOLD,
  USD,
  verdictOn,
  WRAPPED,
} from './golden.testing.ts';

const { includeCalldata: _, userAddress: __, slippageTolerance: ___, ...plainQuery } = goldenQuery;
const withoutCalldata = (): Loose => {
  const { routerAddress, calldata, gasLimit, ...rest } = goldenSwap();
  return rest;
};
const nativeSell = (): Loose => {
  const body = goldenSwap();
  return {
    ...body,
    sell: { referenceId: 0, amount: '2162884172944070813', wrapFromNative: true },
    tokens: [body.tokens[2], body.tokens[3]],
    routes: [body.routes[0]],
  };
};
const nativeQuery = { ...goldenQuery, sellToken: NATIVE, sellAmount: '2162884172944070813' };
const nativeBuy = (): Loose => {
  const body = goldenSwap();
  return {
    ...body,
    buy: { referenceId: 0, amount: '2162884170453897195', unwrapToNative: true },
    tokens: body.tokens.slice(0, 3),
    routes: body.routes.slice(1),
  };
};
const nativeBuyQuery = {
  ...goldenQuery,
  buyToken: NATIVE.replace(/0/g, (z, i) => (i > 1 ? 'E' : z)),
};

describe('good replies', () => {
  test.each<[string, Loose, Given]>([
    ['a plan with calldata', goldenSwap(), {}],
    ['a plan without', withoutCalldata(), { query: plainQuery }],
    [
      'a plan without, said so',
      withoutCalldata(),
      { query: { ...plainQuery, includeCalldata: 'false' } },
    ],
    ['a captured body alone', goldenSwap(), { origin: 'body-only', facts: undefined }],
    [
      'a captured body without calldata',
      withoutCalldata(),
      { origin: 'body-only', facts: undefined },
    ],
    [
      'a capture without headers',
      goldenSwap(),
      { origin: 'captured', headers: {}, facts: undefined, withKey: false },
    ],
    ['native sold', nativeSell(), { query: nativeQuery }],
    ['native bought, by the other alias', nativeBuy(), { query: nativeBuyQuery }],
    [
      'native sold under its alias, unflagged',
      {
        ...nativeSell(),
        sell: { referenceId: 0, amount: '2162884172944070813' },
        tokens: [{ ...nativeSell().tokens[0], address: NATIVE }, nativeSell().tokens[1]],
      },
      { query: nativeQuery },
    ],
    ['the tokens', goldenTokens(), { endpoint: 'tokens' }],
    ['the chains', goldenChains(), { endpoint: 'chains', query: {} }],
    ['the chain', goldenChainInfo(), { endpoint: 'chainInfo' }],
    ['an error', goldenError(), { status: 400 }],
    ['an error of two fields', { error: 'A', message: 'b' }, { status: 400, endpoint: 'tokens' }],
    ['a missing key refused', 'no', { status: 401, withKey: false }],
    ['a chain nobody named', 'no', { status: 404, query: { ...goldenQuery, chainId: '5' } }],
    [
      'a token nobody named',
      'no',
      { status: 404, query: { ...goldenQuery, sellToken: `0x${'8'.repeat(40)}` } },
    ],
    ['another method', 'no', { status: 405, method: 'POST' }],
    ['another path', 'no', { status: 404, endpoint: undefined }],
    ['too many requests', 'no', { status: 429, headers: {} }],
  ])('%s -> no rule fails', (_name, body, options) => {
    const input = given(body, options);
    expect([...failing(input).values()]).toEqual([]);
    const judging = CATALOG.filter(({ id }) => verdictOn(id, input) !== undefined);
    expect(judging.map(({ id }) => id).join(' ')).toMatchSnapshot();
  });

  test('dust between the hops -> reported with its size', () => {
    const { dust } = verdictOn('plan/conserves-between', given(goldenSwap())) ?? {};
    expect(dust).toEqual({ baseUnits: 73n, partsPerMillion: 0.007314325, token: USD });
  });

  test('tolerance of nothing -> dust fails', () => {
    const found = failing(given(goldenSwap(), { tolerancePpm: 0 }));
    expect([...found.keys()]).toEqual(['plan/conserves-between']);
  });
});

/** A line for each finding: the rule, what it expected and saw, and where. */
const saidOf = (input: JudgedReply): string[] =>
  [...failing(input)].flatMap(([id, { findings }]) =>
    findings.map(({ expected, actual, pointer }) =>
      [id, expected, actual, ...(pointer === undefined ? [] : [pointer])].join(' | '),
    ),
  );

type Case = readonly [fails: readonly string[], breakIt: (body: Loose) => void, options?: Given];

const cases = (name: string, golden: () => Loose, options: Given, rows: readonly Case[]) =>
  describe(name, () => {
    test('what each rule says', () => {
      const said = rows.flatMap(([, breakIt, own]) => {
        const body = structuredClone(golden());
        breakIt(body);
        return saidOf(given(body, { ...options, ...own }));
      });
      expect([...new Set(said)].sort()).toMatchSnapshot();
    });
    test.each(rows.map((row) => [row[0].join(', '), String(row[1]), row] as const))(
      '%s fail on %s',
      (_ids, _source, [fails, breakIt, own]) => {
        const body = structuredClone(golden());
        breakIt(body);
        const found = failing(given(body, { ...options, ...own }));
        expect([...found.keys()].sort()).toEqual([...fails].sort());
        for (const { findings } of found.values()) {
          for (const { expected, actual } of findings) {
            expect(expected).not.toMatch(/undefined|\[object/);
            expect(actual).not.toMatch(/undefined|\[object/);
          }
        }
      },
    );
  });

cases('swap: fields', goldenSwap, {}, [
  [['swap-response/aggregator'], (b) => delete b.aggregator],
  [['swap-response/aggregator'], (b) => (b.aggregator = 5)],
  [['swap-response/router'], (b) => delete b.router],
  [['swap-response/router'], (b) => (b.router = null)],
  [
    ['swap-response/router-name', 'swap-response/router-available', 'swap/router-default'],
    (b) => (b.router = 'Default-Router'),
  ],
  [
    [
      'swap/router-default',
      'swap-response/router-address-deployed',
      'route/name-among-sources',
      'router-info/encoder-as-used',
    ],
    (b) => (b.router = 'service-router'),
  ],
  [
    ['swap/router-default', 'swap-response/router-available'],
    (b) => (b.router = 'universal-router'),
  ],
  [['swap-response/sell'], (b) => delete b.sell],
  [['swap-response/sell'], (b) => (b.sell = [])],
  [['swap-response/buy'], (b) => (b.buy = 'x')],
  [['swap-response/native-token-usd-price'], (b) => delete b.nativeTokenUsdPrice],
  [['swap-response/native-token-usd-price'], (b) => (b.nativeTokenUsdPrice = '4622')],
  [
    ['swap-response/native-token-usd-price'],
    (b) => (b.nativeTokenUsdPrice = Number.POSITIVE_INFINITY),
  ],
  [
    ['token/wrapped-native-price', 'swap-response/native-price-not-negative'],
    (b) => (b.nativeTokenUsdPrice = -1),
  ],
  [['token/wrapped-native-price'], (b) => (b.nativeTokenUsdPrice *= 1.02)],
  [[], (b) => (b.nativeTokenUsdPrice *= 1.005)],
  [['swap-response/tokens'], (b) => delete b.tokens],
  [['swap-response/tokens'], (b) => (b.tokens = {})],
  [['swap-response/tokens'], (b) => (b.tokens[0] = 7)],
  [['swap-response/routes'], (b) => (b.routes = null)],
  [['swap-response/routes'], (b) => (b.routes[1] = [])],
  [['swap/calldata-as-asked', 'swap/calldata-complete'], (b) => delete b.routerAddress],
  [['swap-response/router-address'], (b) => (b.routerAddress = 5)],
  [['swap-response/router-address-deployed'], (b) => (b.routerAddress = WRAPPED)],
  [
    ['swap-response/router-address-deployed', 'swap-response/router-address-hex'],
    (b) => (b.routerAddress += '0'),
  ],
  [['swap/calldata-as-asked'], (b) => delete b.calldata],
  [['swap-response/calldata'], (b) => (b.calldata = null)],
  [['swap-response/calldata-hex'], (b) => (b.calldata = '0x')],
  [['swap-response/calldata-hex'], (b) => (b.calldata = '0xabc')],
  [['swap/calldata-as-asked', 'swap/calldata-complete'], (b) => delete b.gasLimit],
  [['swap-response/gas-limit'], (b) => (b.gasLimit = 350000)],
  [['swap-response/gas-limit-positive'], (b) => (b.gasLimit = '0')],
  [['swap-response/gas-limit-positive'], (b) => (b.gasLimit = '0x55730')],
  [['trade-token/reference-id'], (b) => (b.sell.referenceId = '7')],
  [['trade-token/reference-id'], (b) => delete b.buy.referenceId],
  [['trade-token/amount'], (b) => (b.sell.amount = 5)],
  [['trade-token/amount'], (b) => delete b.buy.amount],
  [['trade-token/wrap-from-native'], (b) => (b.sell.wrapFromNative = 'false')],
  [['trade-token/unwrap-to-native'], (b) => (b.buy.unwrapToNative = 1)],
  [[], (b) => (b.sell.wrapFromNative = false)],
  [['trade-token/flags-on-native-sides'], (b) => (b.sell.wrapFromNative = true)],
  [['trade-token/flags-on-native-sides'], (b) => (b.buy.unwrapToNative = true)],
  [['trade-token/flags-on-native-sides'], (b) => (b.sell.unwrapToNative = true)],
  [['trade-token/flags-on-native-sides'], (b) => (b.buy.wrapFromNative = true)],
  [['token/reference-id'], (b) => delete b.tokens[1].referenceId],
  [['token/reference-id'], (b) => (b.tokens[1].referenceId = 1.5)],
  [['token/address'], (b) => delete b.tokens[1].address],
  [['token/address-hex'], (b) => (b.tokens[1].address = USD.slice(0, -1))],
  [['token/name'], (b) => (b.tokens[1].name = null)],
  [['token/name-as-listed'], (b) => (b.tokens[1].name = 'Euro')],
  [['token/symbol'], (b) => delete b.tokens[1].symbol],
  [['token/symbol-as-listed'], (b) => (b.tokens[1].symbol = 'EUR')],
  [['token/decimals'], (b) => (b.tokens[1].decimals = '6')],
  [['token/decimals'], (b) => delete b.tokens[1].decimals],
  [['token/decimals', 'token/decimals-as-listed'], (b) => (b.tokens[1].decimals = 6.5)],
  [['token/decimals-as-listed'], (b) => (b.tokens[1].decimals = 8)],
  [['limits/plan-decimals', 'token/decimals-as-listed'], (b) => (b.tokens[1].decimals = 19)],
  [['limits/plan-decimals', 'token/decimals-as-listed'], (b) => (b.tokens[1].decimals = -1)],
  [['token/usd-price'], (b) => delete b.tokens[1].usdPrice],
  [['token/usd-price'], (b) => (b.tokens[1].usdPrice = null)],
  [['token/usd-price-not-negative', 'token/usd-token-price'], (b) => (b.tokens[1].usdPrice = -1)],
  [['token/usd-token-price'], (b) => (b.tokens[1].usdPrice = 2.1)],
  [['token/usd-token-price'], (b) => (b.tokens[1].usdPrice = 0.4)],
  [['token/wrapped-native-price'], (b) => (b.tokens[2].usdPrice *= 2)],
  [['token/reference-unique', 'token/address-unique'], (b) => b.tokens.push(b.tokens[0])],
  [
    ['token/address-unique', 'swap-response/tokens-used'],
    (b) => b.tokens.push({ ...b.tokens[0], referenceId: 99 }),
  ],
  [
    ['swap-response/tokens-used'],
    (b) => b.tokens.push({ ...b.tokens[0], referenceId: 99, address: NATIVE }),
  ],
  [
    [
      'trade-token/reference-resolves',
      'plan/conserves-sell',
      'plan/conserves-between',
      'plan/sell-reaches-buy',
      'plan/routes-on-path',
    ],
    (b) => (b.sell.referenceId = 12),
  ],
  [['route/address'], (b) => delete b.routes[0].address],
  [['route/address-hex'], (b) => (b.routes[0].address = 'pool')],
  [['route/address-of-a-pool'], (b) => (b.routes[0].address = NATIVE)],
  [[], (b) => (b.routes[0].address = `0x${'3'.repeat(64)}`)],
  [['route/name'], (b) => delete b.routes[0].name],
  [['route/name-among-sources'], (b) => (b.routes[0].name = 'SourceC')],
  [['route/details'], (b) => (b.routes[0].details = 'none')],
  [['route/details'], (b) => (b.routes[0].details = [])],
  [[], (b) => (b.routes[0].details = {})],
  [['route/from-tokens'], (b) => delete b.routes[0].fromTokens],
  [['route/to-tokens'], (b) => (b.routes[0].toTokens = {})],
  [
    ['route/two-ends', 'plan/routes-on-path', 'plan/sell-reaches-buy', 'plan/conserves-between'],
    (b) => (b.routes[0].fromTokens = []),
  ],
  [['route-token/reference-id'], (b) => (b.routes[0].fromTokens[0].referenceId = null)],
  [['route-token/amount'], (b) => (b.routes[0].toTokens[0].amount = 1)],
  [
    [
      'route-token/reference-resolves',
      'plan/conserves-between',
      'plan/routes-on-path',
      'plan/sell-reaches-buy',
      'swap-response/tokens-used',
    ],
    (b) => {
      b.routes[2].fromTokens[0].referenceId = 55;
      b.routes[1].toTokens[0].referenceId = 56;
    },
  ],
  [['limits/amounts-decimal'], (b) => (b.routes[0].toTokens[0].amount = '0x5')],
  [['limits/amounts-decimal'], (b) => (b.sell.amount = '1e22')],
  [['limits/amounts-canonical'], (b) => (b.sell.amount = `0${b.sell.amount}`)],
  [
    ['limits/amounts-fit-uint256', 'plan/conserves-between'],
    (b) => (b.routes[1].toTokens[0].amount = String(1n << 256n)),
  ],
]);

cases('swap: the plan', goldenSwap, {}, [
  [['plan/conserves-sell'], (b) => (b.routes[1].fromTokens[0].amount = '9999999999999999999999')],
  [
    ['plan/conserves-sell', 'swap/sell-amount-echoed'],
    (b) => (b.sell.amount = '10000000000000000000001'),
  ],
  [['plan/conserves-buy'], (b) => (b.buy.amount = '1034955025987043448359')],
  [[], (b) => (b.buy.amount = '1034955025987043448358')],
  [['plan/conserves-between'], (b) => (b.routes[1].toTokens[0].amount = '9980434364')],
  [
    ['route-token/moves-something', 'plan/conserves-between'],
    (b) => (b.routes[2].fromTokens[0].amount = '0'),
  ],
  [
    ['plan/no-self-loop'],
    (b) => b.routes.push({ ...b.routes[1], fromTokens: b.routes[1].toTokens }),
  ],
  [
    ['plan/nothing-into-sell', 'plan/acyclic', 'plan/conserves-sell', 'plan/conserves-between'],
    (b) =>
      b.routes.push({
        ...b.routes[1],
        fromTokens: b.routes[1].toTokens,
        toTokens: b.routes[1].fromTokens,
      }),
  ],
  [
    ['plan/nothing-out-of-buy', 'plan/acyclic', 'plan/conserves-buy', 'plan/conserves-between'],
    (b) =>
      b.routes.push({
        ...b.routes[0],
        fromTokens: b.routes[0].toTokens,
        toTokens: b.routes[0].fromTokens,
      }),
  ],
  [
    [
      'plan/sell-reaches-buy',
      'plan/routes-on-path',
      'plan/conserves-sell',
      'plan/conserves-between',
    ],
    (b) => b.routes.splice(1, 1),
  ],
  [
    ['plan/acyclic', 'plan/conserves-between'],
    (b) =>
      b.routes.push({
        ...b.routes[2],
        fromTokens: b.routes[2].toTokens,
        toTokens: b.routes[2].fromTokens,
      }),
  ],
]);

cases('swap: echoes', goldenSwap, {}, [
  [
    ['swap/sell-amount-echoed'],
    () => {},
    { query: { ...goldenQuery, sellAmount: '10000000000000000000001' } },
  ],
  [[], () => {}, { query: { ...goldenQuery, sellAmount: '010000000000000000000000' } }],
  [['swap/sell-token-echoed'], () => {}, { query: { ...goldenQuery, sellToken: USD } }],
  [[], () => {}, { query: { ...goldenQuery, sellToken: SOLD.toUpperCase().replace('0X', '0x') } }],
  [['swap/buy-token-echoed'], () => {}, { query: { ...goldenQuery, buyToken: NATIVE } }],
  [['swap/router-echoed'], () => {}, { query: { ...goldenQuery, router: 'service-router' } }],
  [[], () => {}, { query: { ...goldenQuery, router: 'default-router' } }],
  [['swap/no-calldata-unasked'], () => {}, { query: plainQuery }],
  [
    ['swap/no-calldata-unasked'],
    (b) => {
      delete b.calldata;
      delete b.gasLimit;
    },
    { query: { ...plainQuery, includeCalldata: 'false' } },
  ],
  [['swap/calldata-complete'], (b) => delete b.gasLimit, { origin: 'body-only' }],
  [[], (b) => (b.routes[0].name = 'Maker'), { query: { ...goldenQuery, useRfq: 'true' } }],
]);

cases('swap: exact output', goldenSwap, {}, [
  [[], () => {}, { query: exactOutputQuery('1034955025987043448356') }],
  [['swap/buy-amount-reached'], () => {}, { query: exactOutputQuery('1034955025987043448357') }],
  [['swap/buy-amount-echoed'], () => {}, { query: exactOutputQuery('1034955025987043448355') }],
]);

cases('swap: native sides', nativeSell, { query: nativeQuery }, [
  [['trade-token/native-sides-flagged'], (b) => delete b.sell.wrapFromNative],
  [['trade-token/native-sides-flagged'], (b) => (b.sell.wrapFromNative = false)],
  [
    ['swap/sell-token-echoed'],
    (b) => {
      b.tokens[0].address = USD;
      delete b.sell.wrapFromNative;
      b.tokens[0].decimals = 6;
      b.tokens[0].name = 'Dollar';
      b.tokens[0].symbol = 'USD';
      b.tokens[0].usdPrice = 1;
    },
  ],
  [
    ['trade-token/flags-on-native-sides'],
    () => {},
    { query: { ...nativeQuery, sellToken: WRAPPED } },
  ],
]);

const small = (): Loose => {
  const body = nativeBuy();
  body.sell.amount = '5000000000000000000';
  body.buy.amount = '1081600000000000';
  body.routes = [
    {
      ...body.routes[0],
      fromTokens: [{ referenceId: 7, amount: body.sell.amount }],
      toTokens: [{ referenceId: 0, amount: body.buy.amount }],
    },
  ];
  body.tokens.splice(1, 1);
  return body;
};
const smallQuery = { ...nativeBuyQuery, sellAmount: '5000000000000000000' };
const buys = (b: Loose, amount: string) => {
  b.buy.amount = amount;
  b.routes[0].toTokens[0].amount = amount;
};

cases('swap: values of the two sides', small, { query: smallQuery }, [
  [[], () => {}],
  [[], (b) => buys(b, '200000000000000')],
  [['swap/usd-values-agree'], (b) => buys(b, '100000000000000')],
  [['swap/usd-values-agree'], (b) => buys(b, '11000000000000000')],
  [[], (b) => buys(b, '10000000000000000')],
  [[], (b) => buys(b, '999')],
  [
    [],
    (b) => {
      buys(b, '100000000000000');
      b.sell.amount = '12000000000000000000';
      b.routes[0].fromTokens[0].amount = b.sell.amount;
    },
    { query: { ...nativeBuyQuery, sellAmount: '12000000000000000000' } },
  ],
]);

cases('tokens', goldenTokens, { endpoint: 'tokens' }, [
  [['token-info/address'], (b) => delete b[0].address],
  [['token-info/address-hex'], (b) => (b[0].address = '0x12')],
  [
    ['token-info/address-unique', 'token-info/repeats'],
    (b) => (b[0].address = b[1].address.toUpperCase().replace('0X', '0x')),
  ],
  [['token-info/name'], (b) => delete b[0].name],
  [['token-info/symbol'], (b) => (b[0].symbol = 5)],
  [['token-info/decimals'], (b) => (b[0].decimals = '18')],
  [['limits/listed-decimals', 'token-info/repeats'], (b) => (b[0].decimals = 19)],
  [['token-info/repeats'], (b) => (b[1].decimals = 18)],
  [['token-info/repeats'], (b) => (b[1].symbol = 'usd')],
  [['tokens/not-empty'], (b) => b.splice(0)],
  [[], (b) => b.pop()],
  [[], (b) => (b[0].address = SOLD.toUpperCase().replace('0X', '0x'))],
  [['token-info/metadata'], (b) => delete b[0].metadata],
  [['token-info/metadata'], (b) => (b[0].metadata = 'https://example.org')],
  [['token-info/metadata-logo-uri'], (b) => delete b[0].metadata.logoURI],
  [['token-info/metadata-logo-uri'], (b) => (b[0].metadata.logoURI = null)],
  [['token-info/logo-url'], (b) => (b[0].metadata.logoURI = 'logo.svg')],
  [['tokens/response'], (b) => (b[0] = 'token')],
]);

cases('chains', goldenChains, { endpoint: 'chains', query: {} }, [
  [['chain/chain-id', 'chains/repeat'], (b) => (b[0].chainId = '31337x')],
  [['chain/chain-id-unique', 'chains/repeat'], (b) => (b[1].chainId = 31337)],
  [['chain/name', 'chains/repeat'], (b) => delete b[0].name],
  [['chain/name-not-blank', 'chains/repeat'], (b) => (b[0].name = ' ')],
  [['chains/repeat'], (b) => b.pop()],
  [['chains/repeat', 'chains/not-empty'], (b) => b.splice(0)],
  [[], (b) => b.reverse()],
]);

cases('chainInfo', goldenChainInfo, { endpoint: 'chainInfo' }, [
  [['chain-info/chain-id'], (b) => (b.chainId = '31337')],
  [['chain-info/chain-asked-for'], (b) => (b.chainId = 31338)],
  [['chain-info/name'], (b) => delete b.name],
  [['chain-info/name-as-listed'], (b) => (b.name = 'Silver')],
  [['chain-info/usd-token-address'], (b) => delete b.usdTokenAddress],
  [['chain-info/usd-token-address-hex', 'chain-info/repeats'], (b) => (b.usdTokenAddress = '0x0')],
  [['chain-info/wrapped-native-token-address'], (b) => (b.wrappedNativeTokenAddress = null)],
  [
    ['chain-info/wrapped-native-token-address-hex', 'chain-info/repeats'],
    (b) => (b.wrappedNativeTokenAddress += '0'),
  ],
  [['chain-info/repeats'], (b) => (b.usdTokenAddress = WRAPPED)],
  [['chain-info/routers', 'chain-info/repeats'], (b) => delete b.routers],
  [['chain-info/repeats'], (b) => b.routers.pop()],
  [['router-info/name', 'chain-info/repeats'], (b) => (b.routers[0].name = 'Default')],
  [
    ['router-info/name-unique', 'router-info/repeats'],
    (b) => b.routers.push({ ...b.routers[0], liquiditySources: [] }),
  ],
  [
    ['router-info/liquidity-sources', 'router-info/repeats'],
    (b) => (b.routers[0].liquiditySources = 'SourceA'),
  ],
  [
    ['router-info/liquidity-sources', 'router-info/repeats'],
    (b) => (b.routers[0].liquiditySources = ['SourceA', 5]),
  ],
  [
    ['router-info/sources-unique', 'router-info/repeats'],
    (b) => (b.routers[0].liquiditySources = ['SourceA', 'SourceB', 'SourceA']),
  ],
  [[], (b) => b.routers[0].liquiditySources.reverse()],
  [
    ['router-info/deployed-address', 'router-info/repeats'],
    (b) => delete b.routers[0].deployedAddress,
  ],
  [
    ['router-info/deployed-somewhere', 'router-info/repeats'],
    (b) => (b.routers[1].deployedAddress = NATIVE),
  ],
  [
    ['router-info/deployed-address-hex', 'router-info/repeats'],
    (b) => (b.routers[0].deployedAddress = 'router'),
  ],
  [['router-info/repeats'], (b) => (b.routers[0].deployedAddress = WRAPPED)],
  [
    ['router-info/token-proxy-address', 'router-info/repeats'],
    (b) => (b.routers[0].tokenProxyAddress = 5),
  ],
  [
    ['router-info/token-proxy-address-hex', 'router-info/repeats'],
    (b) => (b.routers[0].tokenProxyAddress = '0x'),
  ],
  [['router-info/has-encoder', 'router-info/repeats'], (b) => (b.routers[0].hasEncoder = 'true')],
  [['router-info/repeats'], (b) => (b.routers[1].hasEncoder = true)],
]);

cases('errors', goldenError, { status: 400 }, [
  [['error/error'], (b) => delete b.error],
  [['error/error'], (b) => (b.error = 5)],
  [['error/not-blank'], (b) => (b.message = '')],
  [['error/not-blank'], (b) => (b.error = ' ')],
  [['error/message'], (b) => delete b.message],
  [['error/details'], (b) => (b.details = 'none')],
  [['endpoint/no-server-error'], () => {}, { status: 500 }],
  [['endpoint/status'], () => {}, { status: 422 }],
  [['endpoint/status'], () => {}, { status: 404 }],
  [['endpoint/status'], () => {}, { status: 201 }],
  [
    ['endpoint/status'],
    () => {},
    { status: 302, headers: { location: ['https://elsewhere.example'] } },
  ],
  [['endpoint/status'], () => {}, { status: 404, endpoint: 'chains', query: {} }],
  [['endpoint/status'], () => {}, { status: 404, facts: undefined }],
  [['endpoint/status'], () => {}, { status: 404, endpoint: 'tokens' }],
  [['endpoint/status'], () => {}, { status: 404, query: { ...goldenQuery, sellToken: NATIVE } }],
  [['endpoint/content-type'], () => {}, { headers: {} }],
  [['endpoint/content-type'], () => {}, { headers: { 'content-type': ['text/html'] } }],
  [['endpoint/content-type'], () => {}, { headers: { 'content-type': ['application/jsonp'] } }],
  [
    ['endpoint/content-type'],
    () => {},
    { headers: { 'content-type': ['application/json', 'text/html'] } },
  ],
  [[], () => {}, { headers: { 'content-type': ['Application/JSON'] } }],
  [['endpoint/json'], () => {}, { document: { kind: 'not-json', reason: 'ends in mid-value' } }],
  [
    ['endpoint/unique-keys'],
    () => {},
    { document: { kind: 'json', value: goldenError(), duplicateKeys: ['/error'] } },
  ],
  [['error/body'], () => {}, { document: { kind: 'json', value: 'no', duplicateKeys: [] } }],
  [['error/body'], () => {}, { document: { kind: 'json', value: [], duplicateKeys: [] } }],
  [
    ['error/not-with-200'].concat(
      ['aggregator', 'router', 'sell', 'buy', 'native-token-usd-price', 'tokens', 'routes'].map(
        (field) => `swap-response/${field}`,
      ),
      ['swap/calldata-as-asked'],
    ),
    () => {},
    { status: 200 },
  ],
  [['error/not-with-200', 'tokens/response'], () => {}, { status: 200, endpoint: 'tokens' }],
]);

function exactOutputQuery(buyAmount: string) {
  const { sellAmount: ____, ...rest } = goldenQuery;
  return { ...rest, buyAmount };
}

describe('responses of the wrong kind', () => {
  test.each<[string, Given, Loose]>([
    ['swap/response', {}, []],
    ['swap/response', {}, 'plan'],
    ['chain-info/response', { endpoint: 'chainInfo' }, null],
    ['chains/response', { endpoint: 'chains', query: {} }, {}],
    ['tokens/response', { endpoint: 'tokens' }, {}],
  ])('%s with %j -> fails', (id, options, body) => {
    expect([...failing(given(body, options)).keys()]).toEqual([id]);
  });
});

describe('chains whose addresses are not 20 bytes of hex', () => {
  test('base58 everywhere -> no address rule applies', () => {
    const respell = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value).replace(/0x[0-9a-fA-F]{40}/g, (hex) => `So1${hex.slice(10)}`),
      );
    const facts = {
      ...goldenFacts,
      chainInfo: new Map([[31337, respell(goldenChainInfo())]]),
      tokens: new Map([[31337, respell(goldenTokens())]]),
    };
    const body = {
      ...respell(goldenSwap()),
      calldata: 'AQID',
      routerAddress: respell(goldenChainInfo()).routers[0].deployedAddress,
    };
    expect([...failing(given(body, { query: respell(goldenQuery), facts })).keys()]).toEqual([]);
    expect([
      ...failing(given(respell(goldenTokens()), { endpoint: 'tokens', facts })).keys(),
    ]).toEqual([]);
    expect([
      ...failing(given(respell(goldenChainInfo()), { endpoint: 'chainInfo', facts })).keys(),
    ]).toEqual([]);
    expect(
      verdictOn('token/address-hex', given(body, { query: respell(goldenQuery), facts })),
    ).toBeUndefined();
  });
});

describe('endpoint/answers', () => {
  const noReply = (cause: NoReply['cause']) => {
    const { exchange } = given({});
    return {
      ...given({}),
      exchange: {
        ...exchange,
        outcome: { kind: 'no-reply', cause, message: 'It took too long.' } as const,
      },
    };
  };
  test.each([
    ['timeout', 1],
    ['reset', 1],
    ['too-large', 1],
    ['protocol', 1],
    ['refused', 1],
  ] as const)('%s -> fails', (cause, count) => {
    expect(verdictOn('endpoint/answers', noReply(cause))?.findings).toHaveLength(count);
  });
  test('a hang-up on another method, or on an endless target -> not judged', () => {
    const { exchange } = noReply('reset');
    const verdict = (change: Partial<Exchange>) =>
      verdictOn('endpoint/answers', { ...given({}), exchange: { ...exchange, ...change } });
    expect(verdict({ method: 'HEAD' })).toBeUndefined();
    expect(verdict({ endpoint: undefined })).toBeUndefined();
    expect(verdict({ target: 'x'.repeat(4_000) })).toBeUndefined();
    expect(verdict({ target: 'x'.repeat(3_999) })?.findings).toHaveLength(1);
  });
  test('aborted -> not judged', () => {
    expect(verdictOn('endpoint/answers', noReply('aborted'))).toBeUndefined();
  });
});

describe('what is observed', () => {
  test.each<[string, Loose, Given, string]>([
    [
      'trade-token/flags-observed',
      { ...goldenSwap(), sell: { ...goldenSwap().sell, wrapFromNative: false } },
      {},
      'wrap flags appear as false',
    ],
    ['trade-token/flags-observed', goldenSwap(), {}, 'no wrap flag is false'],
    [
      'route/details-observed',
      goldenSwap(),
      {},
      '"SourceA": "fee"; "SourceA": none; "SourceB": "feeInBps", "fromFewWrappedTokenAddress"',
    ],
    [
      'chain/identifiers-observed',
      goldenChains(),
      { endpoint: 'chains' },
      '31337 "Golden", 501 "Other"',
    ],
    ['error/values-observed', goldenError(), { status: 400 }, '400 "INVALID"'],
    ['endpoint/rate-limits-observed', goldenSwap(), {}, 'none'],
    [
      'endpoint/rate-limits-observed',
      {},
      { status: 429, headers: { 'retry-after': ['1'], 'x-ratelimit-limit': ['5'] } },
      '429, retry-after, x-ratelimit-limit',
    ],
  ])('%s -> %s', (id, body, options, observed) => {
    expect(verdictOn(id, given(body, options))?.observed).toBe(observed);
  });
});
