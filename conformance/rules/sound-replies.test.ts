import { expect, test } from 'vitest';
import type { ReplyBreak } from '../model/breaks.ts';
import {
  goldenChainInfo,
  goldenError,
  goldenSwap,
  SOLD,
  WRAPPED,
} from '../model/golden-replies.testing.ts';
import { brokenReply, partsOf, verdictOn } from '../rule-kit/broken-replies.testing.ts';
import { CATALOG } from './catalog.ts';

const ZERO = '0x0000000000000000000000000000000000000000';
const NATIVE_ALIAS = '0xEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE';
const UNKNOWN = '0x8888888888888888888888888888888888888888';
const SOLD_IN_CAPITALS = '0xCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC';
const USD_IN_CAPITALS = '0xBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
const MAX_UINT256 =
  '115792089237316195423570985008687907853269984665640564039457584007913129639935';
const noReply = (cause: 'aborted' | 'too-large' | 'reset') =>
  ({ kind: 'no-reply', cause, message: 'It took too long.' }) as const;

/**
 * Variants of sound replies. Only the rules marked with `!` fail; the others, or all rules of a
 * section, do not apply.
 */
const VARIANTS: readonly ReplyBreak[] = [
  [{}, { of: 'error' }, 'limits/amounts-canonical'],
  [
    {},
    { of: 'error', status: 201 },
    '!endpoint/status endpoint/content-type endpoint/json endpoint/unique-keys',
  ],
  [
    {},
    { of: 'error', status: 500, exchange: { method: 'POST' } },
    'endpoint/content-type endpoint/json endpoint/unique-keys endpoint/answers',
    'endpoint/status',
  ],
  [
    {},
    { of: 'error', status: 500, endpoint: undefined },
    'endpoint/content-type endpoint/json endpoint/unique-keys 4',
  ],
  [{}, { of: 'error', headers: { 'content-type': ['Application/JSON'] } }],
  [{}, { headers: { 'content-type': ['application/json', 'application/json'] } }],
  [{}, { of: 'error', headers: { 'content-type': [' application/json '] } }],
  [{}, { of: 'error', headers: {}, origin: 'captured' }, 'endpoint/content-type'],
  [{}, { of: 'error', headers: {}, origin: 'body-only' }, 'endpoint/content-type'],
  [{ '/sell/amount': '0x5' }, '!limits/amounts-decimal'],
  [
    { '': { tokens: [], routes: [] } },
    '!swap-response/aggregator !swap-response/buy !swap-response/native-token-usd-price',
    '!swap-response/router !swap-response/sell !swap/calldata-as-asked',
    'limits/amounts-canonical limits/plan-decimals limits/amounts-decimal',
    'limits/amounts-fit-uint256',
  ],
  [{ '/sell/amount': undefined }, '!trade-token/amount 1.1'],
  [{ '/routes/0/toTokens': undefined }, '!route/to-tokens 1.1'],
  [{ '/buy/amount': '1034955025987043448358' }],
  [{ '/calldata': undefined }, '!swap/calldata-as-asked 1.3 router-info/encoder-as-used'],
  [
    {},
    { of: 'plainSwap' },
    '1.3 swap-response/router-address-hex swap-response/calldata-hex',
    'swap-response/gas-limit-positive swap/calldata-as-asked',
  ],
  [{ '': { tokens: [] } }, { of: 'tokens' }, '!tokens/response 1.4 2.6'],
  [{}, { of: 'chains', facts: 'none' }, 'chains/repeat'],
  [{}, { of: 'chains', facts: 'withoutChains' }, 'chains/repeat'],
  [
    {
      '/0/chainId': 501,
      '/0/name': 'Other',
      '/0/kind': 'not EVM',
      '/1/chainId': 31337,
      '/1/name': 'Golden',
      '/1/kind': undefined,
    },
    { of: 'chains' },
  ],
  [
    {},
    'swap-response/native-price-steady token/usd-price-steady swap/buy-amount-reached',
    'swap/buy-amount-echoed swap/router-echoed swap/no-calldata-unasked',
  ],
  [{}, { endpoint: 'tokens' }, '!tokens/response 2.1'],
  [{ '/nativeTokenUsdPrice': 4645.752108848819 }],
  [{ '/nativeTokenUsdPrice': 101, '/tokens/2/usdPrice': 100 }],
  [{ '/nativeTokenUsdPrice': 0, '/tokens/2/usdPrice': 0 }],
  [
    { '/nativeTokenUsdPrice': 1, '/tokens/2/usdPrice': null },
    '!token/usd-price token/wrapped-native-price',
  ],
  [
    {},
    { facts: 'none' },
    'token/wrapped-native-price swap-response/native-price-steady token/decimals-as-listed',
    'token/name-as-listed token/symbol-as-listed swap-response/router-address-deployed',
    'route/name-among-sources router-info/encoder-as-used',
  ],
  [
    {},
    { query: { chainId: undefined } },
    'token/wrapped-native-price token/decimals-as-listed token/name-as-listed',
    'token/symbol-as-listed token/usd-token-price swap-response/router-available',
    'swap-response/router-address-deployed route/name-among-sources',
    'router-info/encoder-as-used',
  ],
  [(b) => b.tokens.splice(2, 1), '!route-token/reference-resolves token/wrapped-native-price'],
  [{ '/nativeTokenUsdPrice': 2000, '/tokens/2/usdPrice': 2000 }, { facts: 'priced' }],
  [{ '/nativeTokenUsdPrice': 4000, '/tokens/2/usdPrice': 4000 }, { facts: 'priced' }],
  [{ '/nativeTokenUsdPrice': 8000, '/tokens/2/usdPrice': 8000 }, { facts: 'priced' }],
  [
    {},
    { facts: 'priced', query: { chainId: '501' } },
    'swap-response/native-price-steady token/usd-price-steady',
  ],
  [{}, { of: 'error', status: 500 }],
  [
    {},
    { of: 'error', status: 200 },
    '!error/not-with-200 !swap-response/aggregator !swap-response/buy',
    '!swap-response/native-token-usd-price !swap-response/router !swap-response/routes',
    '!swap-response/sell !swap-response/tokens !swap/calldata-as-asked 2.10 error/body',
  ],
  [{}, { of: 'error', status: 422 }, '!endpoint/status 2.10 error/values-observed'],
  [
    {},
    { of: 'error', document: { kind: 'not-json', reason: 'ends in mid-value' } },
    '!endpoint/json 2.10 error/body error/values-observed',
  ],
  [{ '': 'no' }, { of: 'error' }, '!error/body 2.10'],
  [{ '': [] }, { of: 'error' }, '!error/body 2.10 error/values-observed'],
  [{ '/details': undefined }, { of: 'error' }, 'error/details'],
  [{ '': [] }, '!swap/response 2.2'],
  [
    { '': {} },
    '!swap-response/aggregator !swap-response/buy !swap-response/native-token-usd-price',
    '!swap-response/router !swap-response/routes !swap-response/sell !swap-response/tokens',
    '!swap/calldata-as-asked trade-token/native-sides-flagged',
  ],
  [{}, { of: 'nativeSell', query: { sellToken: ZERO } }, '!swap/sell-amount-echoed'],
  [
    { '/tokens/0/address': ZERO },
    { of: 'nativeSell', query: { sellToken: ZERO } },
    '!swap/sell-amount-echoed trade-token/native-sides-flagged',
  ],
  [
    {},
    { of: 'nativeSell', query: { sellToken: ZERO }, facts: 'none' },
    '!swap/sell-amount-echoed trade-token/native-sides-flagged',
  ],
  [
    {},
    { of: 'nativeSell', query: { sellToken: ZERO, chainId: '501' } },
    '!swap/sell-amount-echoed trade-token/native-sides-flagged',
  ],
  [
    {},
    { of: 'nativeSell', query: { sellToken: ZERO, chainId: undefined } },
    '!swap/sell-amount-echoed trade-token/native-sides-flagged',
  ],
  [
    {},
    { of: 'nativeSell', query: { sellToken: WRAPPED } },
    '!swap/sell-amount-echoed !trade-token/flags-on-native-sides',
    'trade-token/native-sides-flagged',
  ],
  [{ '/tokens/1/address': USD_IN_CAPITALS }],
  [{ '/tokens': {} }, '!swap-response/tokens 2.3'],
  [
    {},
    { facts: 'withoutTokens' },
    'token/decimals-as-listed token/name-as-listed token/symbol-as-listed',
  ],
  [{ '/tokens/0/usdPrice': 0 }, 'swap/usd-values-agree'],
  [{ '/tokens/2/usdPrice': 2000 }, { facts: 'priced' }, '!token/wrapped-native-price'],
  [{ '/tokens/2/usdPrice': 4000 }, { facts: 'priced' }, '!token/wrapped-native-price'],
  [{ '/tokens/2/usdPrice': 8000 }, { facts: 'priced' }, '!token/wrapped-native-price'],
  [{}, { facts: 'unpriced' }, 'token/usd-price-steady'],
  [
    (b) => (b.tokens = [b.tokens[1], b.tokens[3]]),
    { facts: 'priced' },
    '!route-token/reference-resolves !trade-token/reference-resolves',
    'token/usd-price-steady',
  ],
  [
    { '/routes': [] },
    '!plan/conserves-buy !plan/conserves-sell !plan/sell-reaches-buy',
    '!swap-response/tokens-used 2.4 2.5 route/name-among-sources',
  ],
  [{ '/routes/0/address': '0x3333333333333333333333333333333333333333333333333333333333333333' }],
  [{ '/routes/0/address': ZERO }, { query: { useRfq: 'true' } }, 'route/address-of-a-pool'],
  [
    {},
    { origin: 'body-only' },
    'route/address-of-a-pool swap-response/router-address-deployed',
    'route/name-among-sources router-info/encoder-as-used swap/sell-token-echoed',
    'swap/buy-token-echoed swap/sell-amount-echoed swap/router-default',
    'swap/calldata-as-asked endpoint/rate-limits-observed',
  ],
  [
    { '/sell': undefined },
    '!swap-response/sell route-token/reference-resolves route-token/moves-something',
    'swap/sell-token-echoed swap/buy-token-echoed swap/sell-amount-echoed',
  ],
  [(b) => b.pop(), { of: 'tokens' }],
  [{ '': [] }, { of: 'tokens' }, '!tokens/not-empty 2.6 limits/listed-decimals'],
  [{ '/0/address': SOLD_IN_CAPITALS }, { of: 'tokens' }],
  [{}, { of: 'tokens', query: { chainId: '501' } }, 'token-info/repeats'],
  [{}, { of: 'tokens', facts: 'withoutTokens' }, 'token-info/repeats'],
  [{ '': [] }, { of: 'chains' }, '!chains/not-empty !chains/repeat 2.7 2.9'],
  [{ '': [] }, { of: 'chainInfo' }, '!chain-info/response 2.8'],
  [
    { '/chainId': 31338 },
    { of: 'chainInfo', query: { chainId: undefined } },
    'chain-info/chain-asked-for',
  ],
  [{ '/name': 'Silver' }, { of: 'chainInfo', facts: 'withoutChains' }, 'chain-info/name-as-listed'],
  [
    { '/usdTokenAddress': 'So1', '/wrappedNativeTokenAddress': 'So2' },
    { of: 'chainInfo', facts: 'none' },
    'chain-info/usd-token-address-hex chain-info/wrapped-native-token-address-hex',
    'router-info/deployed-address-hex router-info/token-proxy-address-hex',
  ],
  [{}, { of: 'chainInfo', facts: 'none' }, 'router-info/repeats chain-info/repeats'],
  [
    {},
    { of: 'chainInfo', query: { chainId: undefined } },
    'router-info/repeats chain-info/repeats',
  ],
  [{ '/routers': [] }, { of: 'chainInfo' }, '!chain-info/repeats router-info/repeats 2.9'],
  [
    { '/routers/0/liquiditySources/0': 'SourceB', '/routers/0/liquiditySources/1': 'SourceA' },
    { of: 'chainInfo' },
  ],
  [{ '/routers/0/deployedAddress': NATIVE_ALIAS }, { of: 'chainInfo' }],
  [
    {},
    { facts: 'withoutChainInfo' },
    'token/usd-token-price swap-response/router-available',
    'swap-response/router-address-deployed route/name-among-sources',
    'router-info/encoder-as-used',
  ],
  [
    { '/tokens': [] },
    '!route-token/reference-resolves !trade-token/reference-resolves token/usd-token-price',
  ],
  [{ '/tokens/1/usdPrice': 0.5 }],
  [{ '/tokens/1/usdPrice': 2 }],
  [{ '/tokens/1/usdPrice': '1' }, '!token/usd-price token/usd-token-price'],
  [
    { '': { nativeTokenUsdPrice: 1 } },
    { facts: 'usdIsNative' },
    '!swap-response/aggregator !swap-response/buy !swap-response/router',
    '!swap-response/routes !swap-response/sell !swap-response/tokens',
    '!swap/calldata-as-asked swap-response/router-available',
  ],
  [
    { '/router': undefined },
    '!swap-response/router swap-response/router-available swap/router-default',
  ],
  [
    {
      '/routers': [
        {
          name: 'service-router',
          liquiditySources: ['SourceA'],
          deployedAddress: '0x1111111111111111111111111111111111111111',
          hasEncoder: false,
        },
      ],
    },
    { of: 'chainInfo' },
    '!chain-info/repeats router-info/token-proxy-address',
    'router-info/token-proxy-address-hex',
  ],
  [
    { '/router': 'universal-router' },
    '!swap-response/router-available !swap/router-default',
    'swap-response/router-address-deployed route/name-among-sources',
    'router-info/encoder-as-used',
  ],
  [
    { '/routerAddress': undefined },
    '!swap/calldata-as-asked !swap/calldata-complete swap-response/router-address-deployed',
  ],
  [{ '/routes/0/name': 'Maker' }, { query: { useRfq: 'true' } }, 'route/name-among-sources'],
  [
    {},
    { query: { includeCalldata: 'false' } },
    '!swap/no-calldata-unasked router-info/encoder-as-used',
  ],
  [{}, { of: 'error', status: 404, query: { sellToken: UNKNOWN } }, 'endpoint/status'],
  [{}, { of: 'error', status: 404, query: { buyToken: undefined } }, 'endpoint/status'],
  [{}, { of: 'error', status: 404, query: { chainId: '5' } }, 'endpoint/status'],
  [{}, { of: 'error', status: 404, query: { chainId: undefined } }, 'endpoint/status'],
  [
    {},
    { of: 'error', status: 404, endpoint: 'tokens', query: { chainId: '7' } },
    'endpoint/status',
  ],
  [{}, { of: 'error', status: 429, headers: {} }, 'endpoint/status'],
  [{}, { of: 'error', exchange: { outcome: noReply('aborted') } }, 'endpoint/answers'],
  [{}, { of: 'error', exchange: { outcome: noReply('too-large') } }, 'endpoint/answers'],
  [
    {},
    { of: 'error', exchange: { outcome: noReply('reset'), method: 'HEAD' } },
    'endpoint/answers',
  ],
  [
    {},
    { of: 'error', exchange: { outcome: noReply('reset'), endpoint: undefined } },
    'endpoint/answers',
  ],
  [{}, { query: { router: 'default-router' } }, 'swap/router-default'],
  [{}, { query: { router: 'none' } }, 'swap/router-echoed swap/router-default'],
  [{}, { query: { sellAmount: '010000000000000000000000' } }],
  [{}, { query: { sellAmount: 'ten' } }, 'swap/sell-amount-echoed'],
  [{}, { query: { buyAmount: '1' } }, 'swap/sell-amount-echoed swap/buy-amount-reached'],
  [{}, { query: { sellToken: SOLD_IN_CAPITALS } }],
  [{}, { query: { sellToken: undefined } }, 'swap/sell-token-echoed'],
  [{}, { query: { buyToken: ZERO }, facts: 'none' }, 'swap/buy-token-echoed'],
  [{}, { query: { includeCalldata: 'yes' } }, 'swap/calldata-as-asked swap/no-calldata-unasked'],
  [{ '/sell/wrapFromNative': false }],
  [{ '/sell/wrapFromNative': true }, { query: { sellToken: undefined } }],
  [
    {},
    { query: { sellAmount: undefined, buyAmount: '1034955025987043448356' } },
    'swap/sell-amount-echoed',
  ],
  [{}, { of: 'nativeSell', query: { sellToken: ZERO, sellAmount: '2162884172944070813' } }],
  [
    { '/tokens/0/address': NATIVE_ALIAS },
    { of: 'nativeSell', query: { sellToken: ZERO, sellAmount: '2162884172944070813' } },
  ],
  [
    {},
    {
      of: 'nativeSell',
      query: { sellToken: ZERO, sellAmount: '2162884172944070813' },
      facts: 'withoutChainInfo',
    },
    'swap/sell-token-echoed',
  ],
  [
    { '/tokens': [] },
    { of: 'nativeSell', query: { sellToken: ZERO, sellAmount: '2162884172944070813' } },
    '!route-token/reference-resolves !trade-token/reference-resolves',
    'swap/sell-token-echoed swap/buy-token-echoed',
  ],
  [{}, { of: 'nativeBuy', query: { buyToken: NATIVE_ALIAS } }],
  [{}, { of: 'tokens', document: { kind: 'not-json', reason: 'empty' } }, '!endpoint/json 4.2'],
  [{}, { of: 'chainInfo', facts: 'withoutChainInfo' }, 'chain-info/repeats'],
  [{ '/usdTokenAddress': USD_IN_CAPITALS }, { of: 'chainInfo' }],
  [
    { '/wrappedNativeTokenAddress': null },
    { of: 'chainInfo' },
    '!chain-info/wrapped-native-token-address',
  ],
  [{}, { of: 'error', endpoint: undefined }, 'error/values-observed'],
  [
    {},
    { of: 'error', endpoint: 'chains', status: 500, headers: { 'retry-after': ['1'] } },
    '!endpoint/content-type endpoint/no-server-error',
  ],
  [
    {},
    { of: 'error', endpoint: 'chains', status: 500, exchange: { method: 'POST' } },
    'endpoint/no-server-error',
  ],
  [{}, { of: 'error', endpoint: undefined, status: 500 }, 'endpoint/no-server-error'],
  [{}, { of: 'error', endpoint: 'chains', status: 500, facts: 'none' }, 'endpoint/no-server-error'],
  [
    {},
    { of: 'error', endpoint: 'tokens', status: 500, query: { chainId: '5' } },
    'endpoint/no-server-error',
  ],
  [
    {},
    {
      of: 'error',
      endpoint: 'swap',
      status: 500,
      query: {
        chainId: '31337',
        sellToken: ZERO,
        buyToken: SOLD,
        sellAmount: '1',
        includeCalldata: undefined,
        userAddress: undefined,
        slippageTolerance: undefined,
      },
      facts: 'traded',
    },
    'endpoint/no-server-error',
  ],
  [
    {},
    {
      of: 'error',
      endpoint: 'swap',
      status: 500,
      query: {
        chainId: '31337',
        sellToken: ZERO,
        buyToken: SOLD,
        sellAmount: '10000000000000000',
        includeCalldata: undefined,
        userAddress: undefined,
        slippageTolerance: undefined,
        useRfq: 'true',
      },
      facts: 'traded',
    },
    'endpoint/no-server-error',
  ],
  [{}, { of: 'error', status: 200, endpoint: undefined }, 'error/not-with-200'],
  [
    {},
    { of: 'error', status: 200, document: { kind: 'not-json', reason: 'ends in mid-value' } },
    '!endpoint/json error/not-with-200',
  ],
  [
    { '/message': 5 },
    { of: 'error', status: 200, endpoint: 'chainInfo' },
    '!chain-info/chain-id !chain-info/name !chain-info/repeats !chain-info/routers',
    '!chain-info/usd-token-address !chain-info/wrapped-native-token-address',
  ],
  [
    { '/error': 5 },
    { of: 'error', status: 200, endpoint: 'chainInfo' },
    '!chain-info/chain-id !chain-info/name !chain-info/repeats !chain-info/routers',
    '!chain-info/usd-token-address !chain-info/wrapped-native-token-address',
  ],
  [{ '': [] }, { of: 'error', status: 200 }, '!swap/response'],
  [{ '': { ...goldenSwap(), ...goldenError() } }, { of: 'error', status: 200 }],
  [
    { '': { ...goldenChainInfo(), ...goldenError() } },
    { of: 'error', status: 200, endpoint: 'chainInfo' },
  ],
  [{ '/tokens/1/decimals': 0 }, '!token/decimals-as-listed'],
  [{ '/tokens/1/decimals': 18 }, '!token/decimals-as-listed'],
  [{ '/tokens/1/decimals': '19' }, '!token/decimals'],
  [
    { '/sell/amount': '05' },
    '!limits/amounts-canonical !plan/conserves-sell !swap/sell-amount-echoed',
  ],
  [{ '/routes/1/toTokens/0/amount': '05' }, '!limits/amounts-canonical !plan/conserves-between'],
  [{ '/sell/amount': MAX_UINT256 }, '!plan/conserves-sell !swap/sell-amount-echoed'],
  [{ '/routes/1/toTokens/0/amount': MAX_UINT256 }, '!plan/conserves-between'],
  [{ '/sell/amount': 5 }, '!trade-token/amount'],
  [{ '/routes/1/toTokens/0/amount': 5 }, '!route-token/amount'],
];

const judging = CATALOG.filter(({ kind }) => kind === 'reply' || kind === 'exchange');

test.each(VARIANTS.map((row, index) => [index + 1, partsOf(row)] as const))(
  'variant %i',
  (_index, { change, around, finds }) => {
    const marks = finds.flatMap((each) => each.split(' '));
    const input = brokenReply('swap', change, around);
    const verdicts = judging.map((rule) => ({ ...rule, verdict: verdictOn(rule, input) }));
    const failed = verdicts.filter(({ verdict }) => verdict?.findings.length);
    const failing = marks.filter((mark) => mark.startsWith('!'));
    expect(failed.map(({ id }) => `!${id}`).sort()).toEqual([...failing].sort());
    for (const mark of marks.filter((each) => !failing.includes(each))) {
      const named = verdicts.filter(
        ({ id, clause }) => id === mark || clause.startsWith(`${mark} `),
      );
      expect(named).not.toEqual([]);
      expect(named.filter(({ verdict }) => verdict !== undefined).map(({ id }) => id)).toEqual([]);
    }
  },
);
