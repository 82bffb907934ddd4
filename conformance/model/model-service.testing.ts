import { exchangeWith } from '../client/exchange.testing.ts';
import type { Exchange, Reply } from '../client/exchange.ts';
import { KEY_PLACEHOLDER, type Query, type RequestTarget } from '../client/request.ts';
import { ROUTER_NAMES } from '../contract/names.ts';
import { endpointOf, PATHS } from '../contract/paths.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Loose, ReceivedRequest, ServiceChange, ServiceReply } from './breaks.ts';
import { NATIVE, WRAPPED } from './golden-addresses.ts';
import { goldenChainInfo, goldenChains, goldenTokens } from './golden-replies.testing.ts';
import { LINE, modelFacts, PRICES } from './model-market.testing.ts';
import type { Session } from './session.ts';

/*
 * A small service that conforms to the interface, written independently of the reference: four
 * tokens in a line of three pools without fees. Tests use it to run probes without a server, and
 * can break it on purpose.
 */

const POOLS: readonly (readonly [bigint, bigint])[] = [
  [10n ** 24n, 10n ** 12n],
  [10n ** 12n, 10n ** 20n],
  [10n ** 20n, 10n ** 24n],
];
const TOKENS = goldenTokens();
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

class Rejected extends Error {}

/**
 * Returns a session with the model service, and the requests that the service receives. `change`
 * may alter its replies.
 */
export function modelSession(
  change: ServiceChange = (reply) => reply,
  facts: Partial<Facts> = {},
): Session & { readonly sent: RequestTarget[] } {
  const sent: RequestTarget[] = [];
  const counts = new Map<string, number>();
  const get = (target: RequestTarget): Promise<Exchange> => {
    const parsed = new URLSearchParams(target.query as string);
    const raw = typeof target.query === 'string' ? target.query : `${parsed}`;
    const written = [...parsed];
    const params: Query =
      target.key === 'as-written' ? written : [...written, ['apiKey', KEY_PLACEHOLDER]];
    const key = JSON.stringify([target.path, params]);
    const repeats = counts.get(key) ?? 0;
    counts.set(key, repeats + 1);
    const request: ReceivedRequest = {
      path: target.path,
      params,
      raw,
      count: sent.length,
      repeats,
    };
    const reply = change(answerTo(target, params), request);
    sent.push(target);
    return Promise.resolve(asExchange(sent.length, target, params, reply));
  };
  const session = { get, seed: 1, frozen: false, tolerancePpm: 0, sent };
  return { ...session, facts: { ...modelFacts, ...facts } };
}

function answerTo({ path, method = 'GET' }: RequestTarget, params: Query): ServiceReply {
  try {
    if (method !== 'GET') return rejection('METHOD', method, 405);
    if (one(params, 'apiKey') !== KEY_PLACEHOLDER) return rejection('KEY', 'unknown key', 401);
    if (path === PATHS.chains) return { status: 200, body: goldenChains() };
    if (one(params, 'chainId') !== '31337') {
      // The second chain is listed but has no pools.
      if (one(params, 'chainId') !== '501' || path === PATHS.swap) throw new Rejected('chainId');
      return {
        status: 200,
        body: path === PATHS.tokens ? [] : { ...goldenChainInfo(), chainId: 501 },
      };
    }
    if (path === PATHS.tokens) return { status: 200, body: goldenTokens() };
    if (path === PATHS.chainInfo) return { status: 200, body: goldenChainInfo() };
    return { status: 200, body: plan(params) };
  } catch (error) {
    if (error instanceof Rejected) return rejection('INVALID', error.message, 400);
    throw error;
  }
}

function rejection(error: string, message: string, status: number): ServiceReply {
  return { status, body: { error, message } };
}

function one(params: Query, name: string): string | undefined {
  const values = params.filter(([each]) => each === name).map(([, value]) => value);
  if (values.length > 1) throw new Rejected(`${name} twice`);
  return values[0];
}

function plan(params: Query): Loose {
  const [sellAt, buyAt] = ['sellToken', 'buyToken'].map((name) => {
    const value = one(params, name) ?? '';
    if (!ADDRESS.test(value)) throw new Rejected(name);
    const isNative = [NATIVE, `0x${'e'.repeat(40)}`].includes(value.toLowerCase());
    return { isNative, at: LINE.indexOf(isNative ? WRAPPED : value.toLowerCase()) };
  }) as [{ isNative: boolean; at: number }, { isNative: boolean; at: number }];
  if (sellAt.at < 0 || buyAt.at < 0 || sellAt.at === buyAt.at) throw new Rejected('pair');
  const boolean = (name: string) => {
    const value = one(params, name) ?? 'false';
    if (value !== 'true' && value !== 'false') throw new Rejected(name);
    return value === 'true';
  };
  boolean('useRfq');
  const router = one(params, 'router') ?? 'default-router';
  if (!ROUTER_NAMES.some((name) => name === router)) throw new Rejected('router');
  const calldata = boolean('includeCalldata');
  if (calldata && router !== 'default-router') throw new Rejected('no encoder');
  for (const name of ['userAddress', 'recipientAddress']) {
    const value = one(params, name);
    if (value === undefined ? calldata && name === 'userAddress' : !ADDRESS.test(value)) {
      throw new Rejected(name);
    }
  }
  const slippage = one(params, 'slippageTolerance');
  if (slippage === undefined ? calldata : !/^(0(\.[0-9]{1,4})?|1(\.0{1,4})?)$/.test(slippage)) {
    throw new Rejected('slippageTolerance');
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
      ...TOKENS[at],
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

/** Different trades of the same pair must have different calldata. */
function calldataOf(params: Query): string {
  const names = ['sellAmount', 'buyAmount', 'recipientAddress', 'slippageTolerance'];
  const text = names.map((name) => one(params, name)?.toLowerCase() ?? '').join(' ');
  return `0x3593564c${Buffer.from(text).toString('hex')}`;
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
  if ((sellAmount === undefined) === (buyAmount === undefined)) throw new Rejected('amounts');
  const text = sellAmount ?? buyAmount ?? '';
  if (!/^[1-9][0-9]{0,77}$/.test(text) || BigInt(text) >= 1n << 256n) throw new Rejected('amount');
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
      if (amountOut >= reserveOut) throw new Rejected('liquidity');
      legs.unshift((reserveIn * amountOut) / (reserveOut - amountOut) + 1n);
    }
  }
  if (legs.some((amount) => amount === 0n)) throw new Rejected('dust');
  return legs;
}

function asExchange(
  id: number,
  target: RequestTarget,
  params: Query,
  reply: ReturnType<ServiceChange>,
): Exchange {
  const request = {
    id,
    endpoint: endpointOf(target.path),
    method: target.method ?? 'GET',
    target: `${target.path}?${new URLSearchParams(params as [string, string][])}`,
    query: params,
  };
  return { ...exchangeWith('', request), outcome: outcomeOf(reply) };
}

function outcomeOf(reply: ReturnType<ServiceChange>): Exchange['outcome'] {
  if (reply === 'no reply') {
    return { kind: 'no-reply', cause: 'timeout', message: 'It took too long.' };
  }
  if (!('tooLarge' in reply)) return asReply(reply);
  const { status, headers, text } = asReply(reply.tooLarge);
  return { kind: 'large-reply', status, headers, text, characters: 1e9 };
}

function asReply({
  status,
  body,
  headers = { 'content-type': ['application/json'] },
}: ServiceReply): Reply {
  const document = { kind: 'json', value: body, duplicateKeys: [] } as const;
  return exchangeWith(JSON.stringify(body), { status, headers, document }).outcome;
}
