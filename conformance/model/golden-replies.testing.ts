import { exchangeWith } from '../client/exchange.testing.ts';
import type { Exchange, Reply } from '../client/exchange.ts';
import { KEY_PLACEHOLDER } from '../client/request.ts';
import type { Endpoint } from '../contract/paths.ts';
import type { Facts } from '../discovery/facts.ts';
import { indexFacts } from '../discovery/known-chain.ts';
import type { Loose } from './breaks.ts';
import {
  address,
  BOUGHT,
  inCapitals,
  PROXY,
  ROUTER,
  SOLD,
  USD,
  WRAPPED,
} from './golden-addresses.ts';
import { type JudgedReply, readJudgedReply } from './judged-reply.ts';

export type { Loose } from './breaks.ts';

/*
 * Valid replies with the traits of real replies: dust at intermediate tokens, a route without
 * details, details with custom keys, routes out of order, sparse reference ids, lower-case
 * addresses, and undocumented fields.
 */

/**
 * Reply that sells SOLD for BOUGHT through the USD token and the wrapped native token, with
 * calldata.
 */
export const goldenSwap = (): Loose => ({
  aggregator: 'golden',
  router: 'default-router',
  sell: { referenceId: 7, amount: '10000000000000000000000' },
  buy: { referenceId: 600, amount: '1034955025987043448356' },
  nativeTokenUsdPrice: 4622.638914277432,
  blockNumber: 18,
  tokens: [
    token(7, SOLD, 'Sold', 'SLD', 18, 0.9985832349359104),
    token(1, USD, 'Dollar', 'USD', 6, 1),
    token(0, WRAPPED, 'Wrapped', 'WRP', 18, 4622.638914277432),
    token(600, BOUGHT, 'Bought ✓', 'BGT', 18, 9.632281172169868),
  ],
  routes: [
    route('0x1', 'SourceB', 0, '2162884172944070813', 600, '1034955025987043448356', {
      feeInBps: 30,
      fromFewWrappedTokenAddress: address('9'),
    }),
    route('0x2', 'SourceA', 7, '10000000000000000000000', 1, '9980414364', { fee: 500 }),
    route('0x3', 'SourceA', 1, '9980414291', 0, '2162884170453897195'),
  ],
  routerAddress: inCapitals(ROUTER),
  calldata: '0x3593564cABCD',
  gasLimit: '350000',
});

/** Reply to the same trade as `goldenSwap`, requested without calldata. */
export const goldenPlainSwap = (): Loose => {
  const { routerAddress, calldata, gasLimit, ...rest } = goldenSwap();
  return rest;
};

/** Reply that sells the native token for BOUGHT. */
export const goldenNativeSell = (): Loose => {
  const body = goldenSwap();
  return {
    ...body,
    sell: { referenceId: 0, amount: '2162884172944070813', wrapFromNative: true },
    tokens: [body.tokens[2], body.tokens[3]],
    routes: [body.routes[0]],
  };
};

/** Reply that sells SOLD for the native token. */
export const goldenNativeBuy = (): Loose => {
  const body = goldenSwap();
  return {
    ...body,
    buy: { referenceId: 0, amount: '2162884170453897195', unwrapToNative: true },
    tokens: body.tokens.slice(0, 3),
    routes: body.routes.slice(1),
  };
};

export const goldenTokens = (): Loose => [
  listed(SOLD, 'Sold', 'SLD', 18),
  listed(USD, 'Dollar', 'USD', 6),
  listed(WRAPPED, 'Wrapped', 'WRP', 18),
  listed(BOUGHT, 'Bought ✓', 'BGT', 18),
];

export const goldenChains = (): Loose => [
  { chainId: 31337, name: 'Golden' },
  { chainId: 501, name: 'Other', kind: 'not EVM' },
];

export const goldenChainInfo = (): Loose => ({
  chainId: 31337,
  name: 'Golden',
  usdTokenAddress: USD,
  wrappedNativeTokenAddress: WRAPPED,
  routers: [
    {
      name: 'default-router',
      liquiditySources: ['SourceA', 'SourceB'],
      deployedAddress: ROUTER,
      tokenProxyAddress: PROXY,
      hasEncoder: true,
    },
    {
      name: 'service-router',
      liquiditySources: ['SourceA'],
      deployedAddress: address('1'),
      hasEncoder: false,
    },
  ],
});

export const goldenError = (): Loose => ({
  error: 'INVALID',
  message: 'sellAmount: zero',
  details: { parameter: 'sellAmount' },
});

export const goldenFacts: Facts = {
  chains: goldenChains(),
  chainInfo: new Map([[31337, goldenChainInfo()]]),
  tokens: new Map([[31337, goldenTokens()]]),
  markets: new Map(),
};

export const goldenQuery: Readonly<Record<string, string>> = {
  chainId: '31337',
  sellToken: SOLD,
  buyToken: BOUGHT,
  sellAmount: '10000000000000000000000',
  includeCalldata: 'true',
  userAddress: address('5'),
  slippageTolerance: '0.01',
};

/** Changes to the golden query, which make it request a plan without calldata. */
export const WITHOUT_CALLDATA = {
  includeCalldata: undefined,
  userAddress: undefined,
  slippageTolerance: undefined,
};

/** Differences between the circumstances of a reply and those of the golden reply. */
export type Given = {
  readonly endpoint?: Endpoint | undefined;
  /** Changes to the golden query; `undefined` removes a parameter. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Replaces the golden body. */
  readonly body?: Loose;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly origin?: Exchange['origin'];
  readonly document?: Reply['document'];
  readonly exchange?: Partial<Exchange>;
  readonly facts?: Facts | undefined;
  readonly tolerancePpm?: number;
};

/** Returns the golden reply with the given changes, in the form that rules receive. */
export function given(golden: Loose, options: Given = {}): JudgedReply {
  const body = 'body' in options ? options.body : golden;
  const endpoint = 'endpoint' in options ? options.endpoint : 'swap';
  const query = Object.entries(queryOf(options)).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const { origin = 'sent', headers = { 'content-type': ['application/json; charset=utf-8'] } } =
    options;
  const sent = exchangeWith(JSON.stringify(body), {
    ...{ endpoint, origin, headers },
    status: options.status ?? 200,
    document: options.document ?? { kind: 'json', value: body, duplicateKeys: [] },
    query: origin === 'body-only' ? [] : [...query, ['apiKey', KEY_PLACEHOLDER]],
  });
  const exchange: Exchange = { ...sent, ...options.exchange };
  const known = indexFacts('facts' in options ? options.facts : goldenFacts);
  return readJudgedReply(exchange, sent.outcome, {
    known,
    tolerancePpm: options.tolerancePpm ?? 1,
  });
}

/** Query of the golden request of an operation, with the given changes. */
export function queryOf({ query, ...given }: Given): NonNullable<Given['query']> {
  const endpoint = 'endpoint' in given ? given.endpoint : 'swap';
  if (endpoint === 'chains') return { ...query };
  const usual =
    endpoint === 'tokens' || endpoint === 'chainInfo' ? { chainId: '31337' } : goldenQuery;
  return { ...usual, ...query };
}

function token(
  referenceId: number,
  tokenAddress: string,
  name: string,
  symbol: string,
  decimals: number,
  usdPrice: number,
) {
  return { referenceId, address: tokenAddress, name, symbol, decimals, usdPrice };
}

function route(
  pool: string,
  name: string,
  from: number,
  amountIn: string,
  to: number,
  amountOut: string,
  details?: object,
) {
  return {
    address: pool.padEnd(42, '7'),
    name,
    ...(details === undefined ? {} : { details }),
    fromTokens: [{ referenceId: from, amount: amountIn }],
    toTokens: [{ referenceId: to, amount: amountOut }],
  };
}

function listed(tokenAddress: string, name: string, symbol: string, decimals: number) {
  const metadata = { logoURI: `https://example.org/${symbol}.svg` };
  return { address: tokenAddress, name, symbol, decimals, metadata, tags: [] };
}
