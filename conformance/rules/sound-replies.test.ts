import { describe, test } from 'vitest';
import type { ReplyBreak } from '../model/breaks.ts';
import type { Rule } from '../model/rule.ts';
import { brokenReply, expectSound, partsOf } from '../rule-kit/broken-replies.testing.ts';
import { rules as conventions } from './0-conventions.ts';
import { rules as routingPlan } from './1.1-routing-plan/replies.ts';
import { rules as calldata } from './1.3-calldata.ts';
import { rules as lookups } from './1.4-lookups.ts';
import { rules as readOnly } from './1.5-read-only.ts';
import { rules as swapResponse } from './2.1-swap-response/replies.ts';
import { rules as tradeToken } from './2.2-trade-token.ts';
import { rules as token } from './2.3-token/replies.ts';
import { rules as route } from './2.4-route.ts';
import { rules as routeToken } from './2.5-route-token.ts';
import { rules as tokenInfo } from './2.6-token-info.ts';
import { rules as chain } from './2.7-chain.ts';
import { rules as chainInfo } from './2.8-chain-info.ts';
import { rules as routerInfo } from './2.9-router-info.ts';
import { rules as error } from './2.10-error.ts';
import { rules as swap } from './4.1-swap/replies.ts';
import { rules as tokensEndpoint } from './4.2-tokens.ts';
import { rules as chainInfoEndpoint } from './4.4-chain-info.ts';
import { rules as endpoints } from './4-endpoints.ts';
import { rules as errors } from './7-errors.ts';
import { rules as limits } from './8-limits.ts';

/*
 * Variants of sound replies that no rule of a file may fail, with the rules that
 * must not apply to them.
 */
const VARIANTS: readonly (readonly [string, readonly Rule[], readonly ReplyBreak[]])[] = [
  [
    '0-conventions',
    conventions,
    [
      [{}, { of: 'error' }, 'limits/amounts-canonical'],
      [
        {},
        { of: 'error', status: 201 },
        'endpoint/content-type',
        'endpoint/json',
        'endpoint/unique-keys',
      ],
      [
        {},
        { of: 'error', status: 500, exchange: { method: 'POST' } },
        'endpoint/content-type',
        'endpoint/json',
        'endpoint/unique-keys',
      ],
      [
        {},
        { of: 'error', status: 500, endpoint: undefined },
        'endpoint/content-type',
        'endpoint/json',
        'endpoint/unique-keys',
      ],
      [{}, { of: 'error', headers: { 'content-type': ['Application/JSON'] } }],
      [{}, { headers: { 'content-type': ['application/json', 'application/json'] } }],
      [{}, { of: 'error', headers: { 'content-type': [' application/json '] } }],
      [{}, { of: 'error', headers: {}, origin: 'captured' }, 'endpoint/content-type'],
      [{}, { of: 'error', headers: {}, origin: 'body-only' }, 'endpoint/content-type'],
      [{ '/sell/amount': '0x5' }],
      [{ '': { tokens: [], routes: [] } }, 'limits/amounts-canonical'],
    ],
  ],
  [
    '1.1-routing-plan/replies',
    routingPlan,
    [
      [{ '/sell/amount': undefined }, 'none of them'],
      [{ '/routes/0/toTokens': undefined }, 'none of them'],
      [{ '/buy/amount': '1034955025987043448358' }],
    ],
  ],
  [
    '1.3-calldata',
    calldata,
    [
      [{ '/calldata': undefined }, 'none of them'],
      [{}, { of: 'plainSwap' }, 'none of them'],
    ],
  ],
  ['1.4-lookups', lookups, [[{ '': { tokens: [] } }, { of: 'tokens' }, 'none of them']]],
  [
    '1.5-read-only',
    readOnly,
    [
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
    ],
  ],
  [
    '2.1-swap-response/replies',
    swapResponse,
    [
      [{}, 'swap-response/native-price-steady'],
      [{}, { endpoint: 'tokens' }, 'none of them'],
      [{ '/nativeTokenUsdPrice': 4645.752108848819 }],
      [{ '/nativeTokenUsdPrice': 101, '/tokens/2/usdPrice': 100 }],
      [{ '/nativeTokenUsdPrice': 0, '/tokens/2/usdPrice': 0 }],
      [{ '/nativeTokenUsdPrice': 1, '/tokens/2/usdPrice': null }, 'token/wrapped-native-price'],
      [{}, { facts: 'none' }, 'token/wrapped-native-price'],
      [{}, { query: { chainId: undefined } }, 'token/wrapped-native-price'],
      [(b) => b.tokens.splice(2, 1), 'token/wrapped-native-price'],
      [{ '/nativeTokenUsdPrice': 2000, '/tokens/2/usdPrice': 2000 }, { facts: 'priced' }],
      [{ '/nativeTokenUsdPrice': 4000, '/tokens/2/usdPrice': 4000 }, { facts: 'priced' }],
      [{ '/nativeTokenUsdPrice': 8000, '/tokens/2/usdPrice': 8000 }, { facts: 'priced' }],
      [{}, { facts: 'priced', query: { chainId: '501' } }, 'swap-response/native-price-steady'],
      [{}, { facts: 'none' }, 'swap-response/native-price-steady'],
      [
        {},
        { of: 'plainSwap' },
        'swap-response/router-address-hex',
        'swap-response/calldata-hex',
        'swap-response/gas-limit-positive',
      ],
    ],
  ],
  [
    '2.10-error',
    error,
    [
      [{}, { of: 'error', status: 500 }],
      [{}, { of: 'error', status: 200 }, 'none of them'],
      [{}, { of: 'error', status: 422 }, 'none of them'],
      [
        {},
        { of: 'error', document: { kind: 'not-json', reason: 'ends in mid-value' } },
        'none of them',
      ],
      [{ '': 'no' }, { of: 'error' }, 'none of them'],
      [{ '': [] }, { of: 'error' }, 'none of them'],
      [{ '/details': undefined }, { of: 'error' }, 'error/details'],
    ],
  ],
  [
    '2.2-trade-token',
    tradeToken,
    [
      [{ '': [] }, 'none of them'],
      [{ '': {} }, 'trade-token/native-sides-flagged'],
      [
        {},
        { of: 'nativeSell', query: { sellToken: '0x0000000000000000000000000000000000000000' } },
      ],
      [
        { '/tokens/0/address': '0x0000000000000000000000000000000000000000' },
        { of: 'nativeSell', query: { sellToken: '0x0000000000000000000000000000000000000000' } },
        'trade-token/native-sides-flagged',
      ],
      [
        {},
        {
          of: 'nativeSell',
          query: { sellToken: '0x0000000000000000000000000000000000000000' },
          facts: 'none',
        },
        'trade-token/native-sides-flagged',
      ],
      [
        {},
        {
          of: 'nativeSell',
          query: { sellToken: '0x0000000000000000000000000000000000000000', chainId: '501' },
        },
        'trade-token/native-sides-flagged',
      ],
      [
        {},
        {
          of: 'nativeSell',
          query: { sellToken: '0x0000000000000000000000000000000000000000', chainId: undefined },
        },
        'trade-token/native-sides-flagged',
      ],
      [
        {},
        { of: 'nativeSell', query: { sellToken: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' } },
        'trade-token/native-sides-flagged',
      ],
    ],
  ],
  [
    '2.3-token/replies',
    token,
    [
      [{}, 'token/usd-price-steady'],
      [{ '/tokens/1/address': '0xBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB' }],
      [{ '/tokens': {} }, 'none of them'],
      [
        {},
        { facts: 'none' },
        'token/decimals-as-listed',
        'token/name-as-listed',
        'token/symbol-as-listed',
      ],
      [
        {},
        { query: { chainId: undefined } },
        'token/decimals-as-listed',
        'token/name-as-listed',
        'token/symbol-as-listed',
      ],
      [
        {},
        { facts: 'withoutTokens' },
        'token/decimals-as-listed',
        'token/name-as-listed',
        'token/symbol-as-listed',
      ],
      [{ '/tokens/0/usdPrice': 0 }, 'swap/usd-values-agree'],
      [{ '/tokens/2/usdPrice': 2000 }, { facts: 'priced' }],
      [{ '/tokens/2/usdPrice': 4000 }, { facts: 'priced' }],
      [{ '/tokens/2/usdPrice': 8000 }, { facts: 'priced' }],
      [{}, { facts: 'priced', query: { chainId: '501' } }, 'token/usd-price-steady'],
      [{}, { facts: 'unpriced' }, 'token/usd-price-steady'],
      [
        (b) => (b.tokens = [b.tokens[1], b.tokens[3]]),
        { facts: 'priced' },
        'token/usd-price-steady',
      ],
    ],
  ],
  [
    '2.4-route',
    route,
    [
      [{ '/routes': [] }, 'none of them'],
      [
        {
          '/routes/0/address': '0x3333333333333333333333333333333333333333333333333333333333333333',
        },
      ],
      [
        { '/routes/0/address': '0x0000000000000000000000000000000000000000' },
        { query: { useRfq: 'true' } },
        'route/address-of-a-pool',
      ],
      [{}, { origin: 'body-only' }, 'route/address-of-a-pool'],
    ],
  ],
  [
    '2.5-route-token',
    routeToken,
    [
      [{ '/routes': [] }, 'none of them'],
      [{ '/sell': undefined }, 'route-token/reference-resolves', 'route-token/moves-something'],
    ],
  ],
  [
    '2.6-token-info',
    tokenInfo,
    [
      [{ '': { tokens: [] } }, { of: 'tokens' }, 'none of them'],
      [(b) => b.pop(), { of: 'tokens' }],
      [{ '': [] }, { of: 'tokens' }, 'none of them'],
      [{ '/0/address': '0xCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC' }, { of: 'tokens' }],
      [{}, { of: 'tokens', query: { chainId: '501' } }, 'token-info/repeats'],
      [{}, { of: 'tokens', facts: 'withoutTokens' }, 'token-info/repeats'],
    ],
  ],
  ['2.7-chain', chain, [[{ '': [] }, { of: 'chains' }, 'none of them']]],
  [
    '2.8-chain-info',
    chainInfo,
    [
      [{ '': [] }, { of: 'chainInfo' }, 'none of them'],
      [
        { '/chainId': 31338 },
        { of: 'chainInfo', query: { chainId: undefined } },
        'chain-info/chain-asked-for',
      ],
      [
        { '/name': 'Silver' },
        { of: 'chainInfo', facts: 'withoutChains' },
        'chain-info/name-as-listed',
      ],
      [
        { '/usdTokenAddress': 'So1', '/wrappedNativeTokenAddress': 'So2' },
        { of: 'chainInfo', facts: 'none' },
        'chain-info/usd-token-address-hex',
        'chain-info/wrapped-native-token-address-hex',
      ],
      [{}, { of: 'chainInfo', facts: 'none' }, 'router-info/repeats'],
      [{}, { of: 'chainInfo', query: { chainId: undefined } }, 'router-info/repeats'],
      [{ '/routers': [] }, { of: 'chainInfo' }, 'router-info/repeats'],
      [
        { '/routers/0/liquiditySources/0': 'SourceB', '/routers/0/liquiditySources/1': 'SourceA' },
        { of: 'chainInfo' },
      ],
      [
        { '/routers/0/deployedAddress': '0xEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE' },
        { of: 'chainInfo' },
      ],
      [
        {},
        { facts: 'withoutChainInfo' },
        'token/usd-token-price',
        'swap-response/router-available',
      ],
      [
        {},
        { query: { chainId: undefined } },
        'token/usd-token-price',
        'swap-response/router-available',
      ],
      [{ '/tokens': [] }, 'token/usd-token-price'],
      [{ '/tokens/1/usdPrice': 0.5 }],
      [{ '/tokens/1/usdPrice': 2 }],
      [{ '/tokens/1/usdPrice': '1' }, 'token/usd-token-price'],
      [
        { '': { nativeTokenUsdPrice: 1 } },
        { facts: 'usdIsNative' },
        'swap-response/router-available',
      ],
      [{ '/router': undefined }, 'swap-response/router-available'],
    ],
  ],
  [
    '2.9-router-info',
    routerInfo,
    [
      [{ '/routers': [] }, { of: 'chainInfo' }, 'none of them'],
      [
        { '/usdTokenAddress': 'So1', '/wrappedNativeTokenAddress': 'So2' },
        { of: 'chainInfo', facts: 'none' },
        'router-info/deployed-address-hex',
        'router-info/token-proxy-address-hex',
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
        'router-info/token-proxy-address',
        'router-info/token-proxy-address-hex',
      ],
      [
        {},
        { facts: 'none' },
        'swap-response/router-address-deployed',
        'route/name-among-sources',
        'router-info/encoder-as-used',
      ],
      [
        {},
        { facts: 'withoutChainInfo' },
        'swap-response/router-address-deployed',
        'route/name-among-sources',
        'router-info/encoder-as-used',
      ],
      [
        {},
        { query: { chainId: undefined } },
        'swap-response/router-address-deployed',
        'route/name-among-sources',
        'router-info/encoder-as-used',
      ],
      [
        { '/router': 'universal-router' },
        'swap-response/router-address-deployed',
        'route/name-among-sources',
        'router-info/encoder-as-used',
      ],
      [{ '/routerAddress': undefined }, 'swap-response/router-address-deployed'],
      [{ '/routes/0/name': 'Maker' }, { query: { useRfq: 'true' } }, 'route/name-among-sources'],
      [{ '/routes': [] }, 'route/name-among-sources'],
      [
        {},
        { origin: 'body-only' },
        'swap-response/router-address-deployed',
        'route/name-among-sources',
        'router-info/encoder-as-used',
      ],
      [{ '/calldata': undefined }, 'router-info/encoder-as-used'],
      [{}, { query: { includeCalldata: 'false' } }, 'router-info/encoder-as-used'],
      [{ '': [] }, { of: 'chains' }, 'none of them'],
    ],
  ],
  [
    '4-endpoints',
    endpoints,
    [
      [{}, { of: 'error', status: 200 }, 'error/body'],
      [
        {},
        {
          of: 'error',
          status: 404,
          query: { sellToken: '0x8888888888888888888888888888888888888888' },
        },
        'endpoint/status',
      ],
      [{}, { of: 'error', status: 404, query: { buyToken: undefined } }, 'endpoint/status'],
      [{}, { of: 'error', status: 404, query: { chainId: '5' } }, 'endpoint/status'],
      [{}, { of: 'error', status: 404, query: { chainId: undefined } }, 'endpoint/status'],
      [
        {},
        { of: 'error', status: 404, endpoint: 'tokens', query: { chainId: '7' } },
        'endpoint/status',
      ],
      [{}, { of: 'error', status: 429, headers: {} }, 'endpoint/status'],
      [
        {},
        { of: 'error', status: 500, exchange: { method: 'POST' } },
        'endpoint/answers',
        'endpoint/status',
      ],
      [{}, { of: 'error', status: 500, endpoint: undefined }, 'none of them'],
      [
        {},
        { of: 'error', document: { kind: 'not-json', reason: 'ends in mid-value' } },
        'error/body',
      ],
      [
        {},
        {
          of: 'error',
          exchange: {
            outcome: { kind: 'no-reply', cause: 'aborted', message: 'It took too long.' },
          },
        },
        'endpoint/answers',
      ],
      [
        {},
        {
          of: 'error',
          exchange: {
            outcome: { kind: 'no-reply', cause: 'too-large', message: 'It took too long.' },
          },
        },
        'endpoint/answers',
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
        'endpoint/answers',
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
        'endpoint/answers',
      ],
    ],
  ],
  [
    '4.1-swap/replies',
    swap,
    [
      [
        {},
        'swap/buy-amount-reached',
        'swap/buy-amount-echoed',
        'swap/router-echoed',
        'swap/no-calldata-unasked',
      ],
      [
        {},
        { origin: 'body-only' },
        'swap/sell-token-echoed',
        'swap/buy-token-echoed',
        'swap/sell-amount-echoed',
        'swap/router-default',
        'swap/calldata-as-asked',
      ],
      [
        { '/sell': undefined },
        'swap/sell-token-echoed',
        'swap/buy-token-echoed',
        'swap/sell-amount-echoed',
      ],
      [{ '/router': undefined }, 'swap/router-default'],
      [{}, { query: { router: 'default-router' } }, 'swap/router-default'],
      [{}, { query: { router: 'none' } }, 'swap/router-echoed', 'swap/router-default'],
      [{}, { query: { sellAmount: '010000000000000000000000' } }],
      [{}, { query: { sellAmount: 'ten' } }, 'swap/sell-amount-echoed'],
      [{}, { query: { buyAmount: '1' } }, 'swap/sell-amount-echoed', 'swap/buy-amount-reached'],
      [{}, { query: { sellToken: '0xCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC' } }],
      [{}, { query: { sellToken: undefined } }, 'swap/sell-token-echoed'],
      [
        {},
        { query: { buyToken: '0x0000000000000000000000000000000000000000' }, facts: 'none' },
        'swap/buy-token-echoed',
      ],
      [
        {},
        { query: { includeCalldata: 'yes' } },
        'swap/calldata-as-asked',
        'swap/no-calldata-unasked',
      ],
      [{ '/sell/wrapFromNative': false }],
      [{ '/sell/wrapFromNative': true }, { query: { sellToken: undefined } }],
      [
        {},
        { query: { sellAmount: undefined, buyAmount: '1034955025987043448356' } },
        'swap/sell-amount-echoed',
      ],
      [{}, { of: 'plainSwap' }, 'swap/calldata-as-asked'],
      [
        {},
        {
          of: 'nativeSell',
          query: {
            sellToken: '0x0000000000000000000000000000000000000000',
            sellAmount: '2162884172944070813',
          },
        },
      ],
      [
        { '/tokens/0/address': '0xEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE' },
        {
          of: 'nativeSell',
          query: {
            sellToken: '0x0000000000000000000000000000000000000000',
            sellAmount: '2162884172944070813',
          },
        },
      ],
      [
        {},
        {
          of: 'nativeSell',
          query: {
            sellToken: '0x0000000000000000000000000000000000000000',
            sellAmount: '2162884172944070813',
          },
          facts: 'withoutChainInfo',
        },
        'swap/sell-token-echoed',
      ],
      [
        { '/tokens': [] },
        {
          of: 'nativeSell',
          query: {
            sellToken: '0x0000000000000000000000000000000000000000',
            sellAmount: '2162884172944070813',
          },
        },
        'swap/sell-token-echoed',
        'swap/buy-token-echoed',
      ],
      [{}, { of: 'nativeBuy', query: { buyToken: '0xEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE' } }],
    ],
  ],
  [
    '4.2-tokens',
    tokensEndpoint,
    [[{}, { of: 'tokens', document: { kind: 'not-json', reason: 'empty' } }, 'none of them']],
  ],
  [
    '4.4-chain-info',
    chainInfoEndpoint,
    [
      [{}, { of: 'chainInfo', facts: 'none' }, 'chain-info/repeats'],
      [{}, { of: 'chainInfo', facts: 'withoutChainInfo' }, 'chain-info/repeats'],
      [{}, { of: 'chainInfo', query: { chainId: undefined } }, 'chain-info/repeats'],
      [{ '/usdTokenAddress': '0xBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB' }, { of: 'chainInfo' }],
      [{ '/wrappedNativeTokenAddress': null }, { of: 'chainInfo' }],
    ],
  ],
  [
    '7-errors',
    errors,
    [
      [{}, { of: 'error', status: 422 }, 'error/values-observed'],
      [{}, { of: 'error', endpoint: undefined }, 'error/values-observed'],
      [{ '': [] }, { of: 'error' }, 'error/values-observed'],
      [
        {},
        { of: 'error', document: { kind: 'not-json', reason: 'ends in mid-value' } },
        'error/values-observed',
      ],
      [
        {},
        { of: 'error', endpoint: 'chains', status: 500, headers: { 'retry-after': ['1'] } },
        'endpoint/no-server-error',
      ],
      [
        {},
        { of: 'error', endpoint: 'chains', status: 500, exchange: { method: 'POST' } },
        'endpoint/no-server-error',
      ],
      [{}, { of: 'error', endpoint: undefined, status: 500 }, 'endpoint/no-server-error'],
      [
        {},
        { of: 'error', endpoint: 'chains', status: 500, facts: 'none' },
        'endpoint/no-server-error',
      ],
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
            sellToken: '0x0000000000000000000000000000000000000000',
            buyToken: '0xcccccccccccccccccccccccccccccccccccccccc',
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
            sellToken: '0x0000000000000000000000000000000000000000',
            buyToken: '0xcccccccccccccccccccccccccccccccccccccccc',
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
        'error/not-with-200',
      ],
      [{ '/message': 5 }, { of: 'error', status: 200, endpoint: 'chainInfo' }],
      [{ '/error': 5 }, { of: 'error', status: 200, endpoint: 'chainInfo' }],
      [{ '': [] }, { of: 'error', status: 200 }],
      [
        {
          '': {
            aggregator: 'golden',
            router: 'default-router',
            sell: { referenceId: 7, amount: '10000000000000000000000' },
            buy: { referenceId: 600, amount: '1034955025987043448356' },
            nativeTokenUsdPrice: 4622.638914277432,
            blockNumber: 18,
            tokens: [
              {
                referenceId: 7,
                address: '0xcccccccccccccccccccccccccccccccccccccccc',
                name: 'Sold',
                symbol: 'SLD',
                decimals: 18,
                usdPrice: 0.9985832349359104,
              },
              {
                referenceId: 1,
                address: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
                name: 'Dollar',
                symbol: 'USD',
                decimals: 6,
                usdPrice: 1,
              },
              {
                referenceId: 0,
                address: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
                name: 'Wrapped',
                symbol: 'WRP',
                decimals: 18,
                usdPrice: 4622.638914277432,
              },
              {
                referenceId: 600,
                address: '0xdddddddddddddddddddddddddddddddddddddddd',
                name: 'Bought ✓',
                symbol: 'BGT',
                decimals: 18,
                usdPrice: 9.632281172169868,
              },
            ],
            routes: [
              {
                address: '0x1777777777777777777777777777777777777777',
                name: 'SourceB',
                details: {
                  feeInBps: 30,
                  fromFewWrappedTokenAddress: '0x9999999999999999999999999999999999999999',
                },
                fromTokens: [{ referenceId: 0, amount: '2162884172944070813' }],
                toTokens: [{ referenceId: 600, amount: '1034955025987043448356' }],
              },
              {
                address: '0x2777777777777777777777777777777777777777',
                name: 'SourceA',
                details: { fee: 500 },
                fromTokens: [{ referenceId: 7, amount: '10000000000000000000000' }],
                toTokens: [{ referenceId: 1, amount: '9980414364' }],
              },
              {
                address: '0x3777777777777777777777777777777777777777',
                name: 'SourceA',
                fromTokens: [{ referenceId: 1, amount: '9980414291' }],
                toTokens: [{ referenceId: 0, amount: '2162884170453897195' }],
              },
            ],
            routerAddress: '0xEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE',
            calldata: '0x3593564cABCD',
            gasLimit: '350000',
            error: 'INVALID',
            message: 'sellAmount: zero',
            details: { parameter: 'sellAmount' },
          },
        },
        { of: 'error', status: 200 },
      ],
      [
        {
          '': {
            chainId: 31337,
            name: 'Golden',
            usdTokenAddress: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
            wrappedNativeTokenAddress: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
            routers: [
              {
                name: 'default-router',
                liquiditySources: ['SourceA', 'SourceB'],
                deployedAddress: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
                tokenProxyAddress: '0xffffffffffffffffffffffffffffffffffffffff',
                hasEncoder: true,
              },
              {
                name: 'service-router',
                liquiditySources: ['SourceA'],
                deployedAddress: '0x1111111111111111111111111111111111111111',
                hasEncoder: false,
              },
            ],
            error: 'INVALID',
            message: 'sellAmount: zero',
            details: { parameter: 'sellAmount' },
          },
        },
        { of: 'error', status: 200, endpoint: 'chainInfo' },
      ],
    ],
  ],
  [
    '8-limits',
    limits,
    [
      [{}, { origin: 'body-only' }, 'endpoint/rate-limits-observed'],
      [
        { '': { tokens: [], routes: [] } },
        'limits/plan-decimals',
        'limits/amounts-decimal',
        'limits/amounts-fit-uint256',
      ],
      [{ '/tokens/1/decimals': 0 }],
      [{ '/tokens/1/decimals': 18 }],
      [{ '/tokens/1/decimals': '19' }],
      [{ '/sell/amount': '05' }],
      [{ '/routes/1/toTokens/0/amount': '05' }],
      [
        {
          '/sell/amount':
            '115792089237316195423570985008687907853269984665640564039457584007913129639935',
        },
      ],
      [
        {
          '/routes/1/toTokens/0/amount':
            '115792089237316195423570985008687907853269984665640564039457584007913129639935',
        },
      ],
      [{ '/sell/amount': 5 }],
      [{ '/routes/1/toTokens/0/amount': 5 }],
      [{ '': [] }, { of: 'tokens' }, 'limits/listed-decimals'],
    ],
  ],
];

describe.each(VARIANTS)('%s', (_section, rules, variants) => {
  test.each(variants.map((row, index) => [index + 1, row] as const))(
    'variant %i',
    (_index, row) => {
      const { change, around, finds: notApplicable } = partsOf(row);
      const input = brokenReply('swap', change, around);
      expectSound(rules, input, notApplicable[0] === 'none of them' ? 'all' : notApplicable);
    },
  );
});
