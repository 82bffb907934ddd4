import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  Chain,
  ChainInfo,
  SwapResponse,
  TokenInfo,
} from '../conformance/contract/resources.ts';
import { startReference } from '../reference/server/start.ts';
import { toBase58 } from './base58.testing.ts';

/*
 * A service that keeps every promise and does all else differently. Plans come
 * from the reference behind it; on the wire nothing looks alike: order, ids,
 * letter case, extra fields, dust, statuses where the specification is silent,
 * headers, chunks, pauses, and a chain whose addresses are not hex.
 */

/** The key that it lets in: nothing in it is safe in a query. */
export const SECOND_KEY = 'k&y=ü #2+%41';

export type SecondService = {
  readonly url: string;
  /** Requests that were answered with 429. */
  readonly limited: () => number;
  readonly close: () => Promise<void>;
};

const INNER_KEY = 'inner';
/** The chain whose addresses are base58: the second market under other names. */
const SOLAR_CHAIN = 792_703_809;
const SOLAR_NAME = 'Solar';
const INNER_CHAIN = 31_338;
const INNER_NAME = 'Swapcheck Two';
/** Every so many requests one is told to come back. */
const LIMIT_EVERY = 900;
const LARGE_ID = 9_007_199_254_740_000;

/** Starts the service at a free port of the loopback. */
export async function startSecondService(): Promise<SecondService> {
  const inner = await startReference({ apiKeys: [INNER_KEY] });
  const solar = createSolarNames();
  let requests = 0;
  let limited = 0;

  const ask = async (path: string, query: URLSearchParams) => {
    query.append('apiKey', INNER_KEY);
    const response = await fetch(`${inner.url}${path}?${query}`);
    return { status: response.status, body: (await response.json()) as unknown };
  };
  for (const path of ['/api/v1.0/tokens', '/api/v1.0/chainInfo']) {
    const query = new URLSearchParams({ chainId: String(INNER_CHAIN) });
    solar.learn((await ask(path, query)).body);
  }

  const answer = async (target: string, response: ServerResponse) => {
    requests += 1;
    await pause(requests % 4);
    if (requests % LIMIT_EVERY === 0) {
      limited += 1;
      response.setHeader('RETRY-AFTER', '1');
      return send(response, 429, { error: 'slow_down', message: 'Too many requests.' });
    }
    const { pathname, searchParams } = new URL(target, inner.url);
    const keys = searchParams.getAll('apiKey');
    if (keys.length !== 1 || keys[0] !== SECOND_KEY) {
      return send(response, 401, { error: 'unauthorized', message: 'Who are you?', hint: null });
    }
    searchParams.delete('apiKey');
    const isSolar = searchParams.get('chainId') === String(SOLAR_CHAIN);
    if (isSolar) {
      if (searchParams.get('includeCalldata') === 'true') return refuse(response, 'no_encoder');
      searchParams.set('chainId', String(INNER_CHAIN));
      for (const side of ['sellToken', 'buyToken']) {
        const address = searchParams.get(side);
        if (address !== null) searchParams.set(side, solar.toHex(address));
      }
    }
    const isAbsentRouter =
      !isSolar &&
      searchParams.get('chainId') === String(INNER_CHAIN) &&
      searchParams.get('router') === 'universal-router';
    if (isAbsentRouter) return refuse(response, 'router_not_deployed');
    const { status, body } = await ask(pathname, searchParams);
    if (status !== 200) return send(response, statusOf(body, status), errorOf(body));
    const dressed = dress(pathname, body, searchParams);
    return send(response, 200, isSolar ? solar.rename(dressed) : dressed);
  };

  const server = createServer((request, response) => {
    answer(request.url ?? '/', response).catch((error: unknown) => {
      send(response, 500, { error: 'oops', message: String(error) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    limited: () => limited,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await inner.close();
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** In two chunks, with headers in capitals. */
function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body, null, 1);
  const middle = text.length >> 1;
  response.writeHead(status, {
    'CONTENT-TYPE': 'Application/JSON;charset="UTF-8"',
    'X-SERVED-BY': 'second',
  });
  response.write(text.slice(0, middle));
  response.end(text.slice(middle));
}

function refuse(response: ServerResponse, error: string): void {
  send(response, 400, { error, message: 'Not here.', traceId: 7 });
}

/** What the specification leaves open is 404 here. */
function statusOf(body: unknown, status: number): number {
  const { error } = body as { readonly error: string };
  return ['UNKNOWN_CHAIN', 'UNKNOWN_TOKEN'].includes(error) ? 404 : status;
}

function errorOf(body: unknown): unknown {
  const { error, message } = body as { readonly error: string; readonly message: string };
  return { traceId: 7, message: message.toLowerCase(), error: `e-${error.length}` };
}

function dress(path: string, body: unknown, query: URLSearchParams): unknown {
  if (path.endsWith('/chains')) return dressChains(body as Chain[]);
  if (path.endsWith('/tokens')) return dressTokens(body as TokenInfo[]);
  if (path.endsWith('/chainInfo')) {
    return dressChainInfo(body as ChainInfo, query.get('chainId') === String(INNER_CHAIN));
  }
  return dressPlan(body as SwapResponse);
}

function dressChains(chains: Chain[]): unknown {
  const known = [...chains].reverse().map((chain) => ({ shortName: chain.name[0], ...chain }));
  return [{ chainId: SOLAR_CHAIN, name: SOLAR_NAME, kind: 'svm' }, ...known];
}

/** Every fifth token is traded, and not listed. */
function dressTokens(tokens: TokenInfo[]): unknown {
  const listed = tokens.filter((_, index) => index % 5 !== 4);
  return listed.reverse().map((token) => ({
    ...token,
    address: capitals(token.address),
    tags: ['x'],
    metadata: { ...token.metadata, color: '#fff' },
  }));
}

function dressChainInfo(info: ChainInfo, lacksRouter: boolean): unknown {
  const routers = info.routers.filter(({ name }) => !lacksRouter || name !== 'universal-router');
  return {
    ...info,
    usdTokenAddress: capitals(info.usdTokenAddress),
    routers: routers.reverse().map((router) => ({
      ...router,
      liquiditySources: [...router.liquiditySources, 'Unused'].reverse(),
      deployedAddress: capitals(router.deployedAddress),
      audited: true,
    })),
    explorers: [],
  };
}

function dressPlan(plan: SwapResponse): unknown {
  const idOf = (referenceId: number) => LARGE_ID + 991 - referenceId * 13;
  const ends = [plan.sell.referenceId, plan.buy.referenceId];
  const dusty = new Set<number>();
  /** Three parts in 10^8 more or less come into each token between, in one of its routes. */
  const withDust = (referenceId: number, amount: string) => {
    if (ends.includes(referenceId) || dusty.has(referenceId)) return amount;
    dusty.add(referenceId);
    const dust = (BigInt(amount) * 3n) / 100_000_000n;
    return String(referenceId % 2 === 0 ? BigInt(amount) + dust : BigInt(amount) - dust);
  };
  const legs = (list: SwapResponse['routes'][number]['toTokens'], dusts: boolean) =>
    list.map(({ referenceId, amount }) => ({
      amount: dusts ? withDust(referenceId, amount) : amount,
      referenceId: idOf(referenceId),
      share: 1,
    }));
  const side = (trade: SwapResponse['sell']) => ({
    wrapFromNative: false,
    unwrapToNative: false,
    ...trade,
    referenceId: idOf(trade.referenceId),
    usd: null,
  });
  return {
    quoteId: 'q-1',
    ...plan,
    aggregator: '',
    sell: side(plan.sell),
    buy: side(plan.buy),
    nativeTokenUsdPrice: Math.round(plan.nativeTokenUsdPrice),
    tokens: [...plan.tokens].reverse().map((token) => ({
      ...token,
      referenceId: idOf(token.referenceId),
      address: capitals(token.address),
      usdPrice: Math.round(token.usdPrice),
      verified: false,
    })),
    routes: halve([...plan.routes].reverse()).map(({ address, name, fromTokens, toTokens }) => ({
      toTokens: legs(toTokens, true),
      fromTokens: legs(fromTokens, false),
      name,
      address: capitals(address),
      kind: 'amm',
    })),
    ...(plan.routerAddress !== undefined && { routerAddress: capitals(plan.routerAddress) }),
    ...(plan.calldata !== undefined && { calldata: capitals(plan.calldata) }),
  };
}

/** The first pool is used twice, for a third and for the rest. */
function halve([first, ...rest]: SwapResponse['routes']): SwapResponse['routes'] {
  const [from, to] = [first?.fromTokens[0], first?.toTokens[0]];
  if (first === undefined || from === undefined || to === undefined) return rest;
  const [paid, got] = [BigInt(from.amount), BigInt(to.amount)];
  if (paid < 3n || got < 3n) return [first, ...rest];
  const part = (leg: typeof from, amount: bigint) => [{ ...leg, amount: String(amount) }];
  return [
    { ...first, fromTokens: part(from, paid / 3n), toTokens: part(to, got / 3n) },
    { ...first, fromTokens: part(from, paid - paid / 3n), toTokens: part(to, got - got / 3n) },
    ...rest,
  ];
}

function capitals(hex: string): string {
  return `0x${hex.slice(2).toUpperCase()}`;
}

/** Base58 names for the hex addresses of a chain, and the way back for those that were learned. */
function createSolarNames() {
  const hexes = new Map<string, string>();
  const nameOf = (hex: string) => {
    const name = toBase58(hex);
    hexes.set(name, hex);
    return name;
  };
  const rename = (value: unknown): unknown => {
    if (typeof value === 'string') return /^0x[0-9a-f]{40}$/i.test(value) ? nameOf(value) : value;
    if (Array.isArray(value)) return value.map(rename);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => {
        if (key === 'chainId') return [key, SOLAR_CHAIN];
        if (key === 'hasEncoder') return [key, false];
        if (each === INNER_NAME) return [key, SOLAR_NAME];
        return [key, rename(each)];
      }),
    );
  };
  return {
    rename,
    learn: (body: unknown) => void rename(body),
    toHex: (name: string) => hexes.get(name) ?? name,
  };
}
