import type { Exchange, Reply } from '../client/exchange.ts';
import { KEY_PLACEHOLDER, type RequestTarget } from '../client/request.ts';
import type { Endpoint } from '../contract/paths.ts';
import { PATHS } from '../contract/paths.ts';
import { ROUTER_NAMES } from '../contract/resources.ts';
import type { ChainMarket, Facts, TradedPair } from '../discovery/facts.ts';
import type { Session } from '../model/session.ts';
import {
  BOUGHT,
  goldenChainInfo,
  goldenChains,
  goldenFacts,
  goldenTokens,
  type Loose,
  NATIVE,
  SOLD,
  USD,
  WRAPPED,
} from './golden.testing.ts';

/*
 * A small service that keeps every promise, written apart from the reference:
 * four tokens in a line of three pools without fees. It lets probes be tested
 * without a server, and be broken on purpose.
 */

export type Answer = { readonly status: number; readonly body: Loose };
type Params = readonly (readonly [string, string])[];

/** Changes what the service answers: `count` is how many requests came before. */
export type Sabotage = (answer: Answer, params: Params, path: string, count: number) => Answer;

const LINE = [SOLD, USD, WRAPPED, BOUGHT];
const POOLS: readonly (readonly [bigint, bigint])[] = [
  [10n ** 24n, 10n ** 12n],
  [10n ** 12n, 10n ** 20n],
  [10n ** 20n, 10n ** 24n],
];
const PRICES = [1, 1, 10_000, 1];
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

class Refused extends Error {}

/** Returns a session with the model service, sabotaged or not, and the requests it saw. */
export function modelSession(sabotage: Sabotage = (answer) => answer): Session & {
  readonly sent: RequestTarget[];
} {
  const sent: RequestTarget[] = [];
  const get = (target: RequestTarget): Promise<Exchange> => {
    const written =
      typeof target.query === 'string' ? [...new URLSearchParams(target.query)] : target.query;
    const params: Params =
      target.key === 'as-written' ? written : [...written, ['apiKey', KEY_PLACEHOLDER]];
    const answer = sabotage(answerTo(target, params), params, target.path, sent.length);
    sent.push(target);
    return Promise.resolve(asExchange(sent.length, target, params, answer));
  };
  return { facts: { ...modelFacts }, get, seed: 1, frozen: false, tolerancePpm: 0, sent };
}

function answerTo({ path, method = 'GET' }: RequestTarget, params: Params): Answer {
  try {
    if (method !== 'GET') return refusal('METHOD', method, 405);
    if (one(params, 'apiKey') !== KEY_PLACEHOLDER) return refusal('KEY', 'unknown key', 401);
    if (path === PATHS.chains) return { status: 200, body: goldenChains() };
    if (one(params, 'chainId') !== '31337') {
      // The other chain is listed and has no pools.
      if (one(params, 'chainId') !== '501' || path === PATHS.swap) throw new Refused('chainId');
      return {
        status: 200,
        body: path === PATHS.tokens ? [] : { ...goldenChainInfo(), chainId: 501 },
      };
    }
    if (path === PATHS.tokens) return { status: 200, body: goldenTokens() };
    if (path === PATHS.chainInfo) return { status: 200, body: goldenChainInfo() };
    return { status: 200, body: plan(params) };
  } catch (error) {
    if (error instanceof Refused) return refusal('INVALID', error.message, 400);
    throw error;
  }
}

function refusal(error: string, message: string, status: number): Answer {
  return { status, body: { error, message } };
}

function one(params: Params, name: string): string | undefined {
  const values = params.filter(([each]) => each === name).map(([, value]) => value);
  if (values.length > 1) throw new Refused(`${name} twice`);
  return values[0];
}

function plan(params: Params): Loose {
  const [sellAt, buyAt] = ['sellToken', 'buyToken'].map((name) => {
    const value = one(params, name) ?? '';
    if (!ADDRESS.test(value)) throw new Refused(name);
    const isNative = [NATIVE, `0x${'e'.repeat(40)}`].includes(value.toLowerCase());
    return { isNative, at: LINE.indexOf(isNative ? WRAPPED : value.toLowerCase()) };
  }) as [{ isNative: boolean; at: number }, { isNative: boolean; at: number }];
  if (sellAt.at < 0 || buyAt.at < 0 || sellAt.at === buyAt.at) throw new Refused('pair');
  const boolean = (name: string) => {
    const value = one(params, name) ?? 'false';
    if (value !== 'true' && value !== 'false') throw new Refused(name);
    return value === 'true';
  };
  boolean('useRfq');
  const router = one(params, 'router') ?? 'default-router';
  if (!ROUTER_NAMES.some((name) => name === router)) throw new Refused('router');
  const calldata = boolean('includeCalldata');
  if (calldata && router !== 'default-router') throw new Refused('no encoder');
  for (const name of ['userAddress', 'recipientAddress']) {
    const value = one(params, name);
    if (value === undefined ? calldata && name === 'userAddress' : !ADDRESS.test(value)) {
      throw new Refused(name);
    }
  }
  const slippage = one(params, 'slippageTolerance');
  if (slippage === undefined ? calldata : !/^(0(\.[0-9]{1,4})?|1(\.0{1,4})?)$/.test(slippage)) {
    throw new Refused('slippageTolerance');
  }
  const steps = hops(sellAt.at, buyAt.at);
  const legs = amountsAlong(steps, one(params, 'sellAmount'), one(params, 'buyAmount'));
  const id = (at: number) => 1_000 - at * 7;
  const involved = [...steps.map(([from]) => from), buyAt.at];
  return {
    aggregator: 'model',
    router,
    sell: {
      referenceId: id(sellAt.at),
      amount: String(legs[0]),
      ...(sellAt.isNative ? { wrapFromNative: true } : {}),
    },
    buy: {
      referenceId: id(buyAt.at),
      amount: String(legs.at(-1)),
      ...(buyAt.isNative ? { unwrapToNative: true } : {}),
    },
    nativeTokenUsdPrice: PRICES[2],
    tokens: involved.map((at) => ({
      ...goldenTokens()[at],
      referenceId: id(at),
      usdPrice: PRICES[at],
    })),
    routes: steps
      .map(([from, to], index) => ({
        address: `0x${String(Math.min(from, to) + 1).repeat(40)}`,
        name: 'SourceA',
        fromTokens: [{ referenceId: id(from), amount: String(legs[index]) }],
        toTokens: [{ referenceId: id(to), amount: String(legs[index + 1]) }],
      }))
      .reverse(),
    ...(calldata
      ? {
          routerAddress: goldenChainInfo().routers[0].deployedAddress,
          calldata: calldataOf(params),
          gasLimit: '210000',
        }
      : {}),
  };
}

/** Bytes that tell the trades of one pair apart. */
function calldataOf(params: Params): string {
  const names = ['sellAmount', 'buyAmount', 'recipientAddress', 'slippageTolerance'];
  const told = names.map((name) => one(params, name) ?? '').join(' ');
  return `0x3593564c${Buffer.from(told).toString('hex')}`;
}

function hops(from: number, to: number): readonly (readonly [number, number])[] {
  const step = from < to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) }, (_, index) => [
    from + index * step,
    from + (index + 1) * step,
  ]);
}

function amountsAlong(
  steps: readonly (readonly [number, number])[],
  sellAmount: string | undefined,
  buyAmount: string | undefined,
): bigint[] {
  if ((sellAmount === undefined) === (buyAmount === undefined)) throw new Refused('amounts');
  const text = sellAmount ?? buyAmount ?? '';
  if (!/^[1-9][0-9]{0,77}$/.test(text) || BigInt(text) >= 1n << 256n) throw new Refused('amount');
  const reserves = steps.map(([from, to]) => {
    const [low, high] = POOLS[Math.min(from, to)] ?? [0n, 0n];
    return from < to ? ([low, high] as const) : ([high, low] as const);
  });
  const legs = [BigInt(text)];
  if (sellAmount !== undefined) {
    for (const [reserveIn, reserveOut] of reserves) {
      const amountIn = legs.at(-1) ?? 0n;
      legs.push((reserveOut * amountIn) / (reserveIn + amountIn));
    }
  } else {
    for (const [reserveIn, reserveOut] of [...reserves].reverse()) {
      const amountOut = legs[0] ?? 0n;
      if (amountOut >= reserveOut) throw new Refused('liquidity');
      legs.unshift((reserveIn * amountOut) / (reserveOut - amountOut) + 1n);
    }
  }
  if (legs.some((amount) => amount === 0n)) throw new Refused('dust');
  return legs;
}

const assets = LINE.map((address, at) => ({
  address,
  symbol: goldenTokens()[at].symbol,
  decimals: goldenTokens()[at].decimals,
  usdPrice: PRICES[at],
  native: false,
}));
const native = { ...(assets[2] as (typeof assets)[number]), address: NATIVE, native: true };

function pair(sell: (typeof assets)[number], buy: (typeof assets)[number]): TradedPair {
  const unit = ({ decimals, usdPrice = 1 }: (typeof assets)[number]) =>
    (10n ** BigInt(decimals) * 100n) / BigInt(usdPrice);
  return { sell, buy, sellAmount: unit(sell), buyAmount: unit(buy) };
}

const everything = [native, ...assets];
const market: ChainMarket = {
  chainId: 31337,
  addresses: 'evm',
  pairs: everything.flatMap((sell) =>
    everything
      .filter(
        (buy) => (buy.native ? WRAPPED : buy.address) !== (sell.native ? WRAPPED : sell.address),
      )
      .map((buy) => pair(sell, buy)),
  ),
  refusedPairs: [],
  routers: new Map([
    ['default-router', 'calldata'],
    ['service-router', 'plan'],
  ]),
  nativeTokenUsdPrice: PRICES[2],
};

/** What discovery would learn of the model service. */
export const modelFacts: Facts = { ...goldenFacts, markets: new Map([[31337, market]]) };

function asExchange(
  id: number,
  target: RequestTarget,
  params: Params,
  { status, body }: Answer,
): Exchange {
  const reply: Reply = {
    kind: 'reply',
    status,
    headers: { 'content-type': ['application/json'] },
    text: JSON.stringify(body),
    document: { kind: 'json', value: body, duplicateKeys: [] },
  };
  const endpoint = Object.entries(PATHS).find(([, path]) => path === target.path)?.[0];
  return {
    id,
    endpoint: endpoint as Endpoint | undefined,
    origin: 'sent',
    method: target.method ?? 'GET',
    target: `${target.path}?${new URLSearchParams(params as [string, string][])}`,
    query: params,
    startedAtMs: 0,
    durationMs: 1,
    outcome: reply,
  };
}
