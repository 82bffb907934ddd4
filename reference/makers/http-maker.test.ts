import type { IncomingMessage, ServerResponse } from 'node:http';
import { privateKeyToAddress } from 'viem/accounts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serve, type TinyServer } from '../../fixtures/testing/tiny-server.testing.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { Market } from '../market/market.ts';
import { parseAddress } from '../planner/domain/address.ts';
import type { MakerOrder } from '../planner/pools/maker-order.ts';
import { type HttpMakerOptions, httpMaker } from './http-maker.ts';
import { ANYONE, type Maker, type QuoteFault } from './maker.ts';
import { type MissingQuote, withQuotes } from './request-quotes.ts';
import { signOrder } from './sign-order.ts';

const KEY = `0x${'a5'.repeat(32)}` as const;
const [market] = loadEmbeddedMarkets() as [Market];
const [sellToken, buyToken] = [...market.tokens.keys()] as [
  MakerOrder['taker'],
  MakerOrder['taker'],
];
const taker = parseAddress(`0x${'77'.repeat(20)}`);
const request = { sellToken, buyToken, swapKind: 'exact-input', amount: 99n, taker } as const;
const NOW_MS = (market.block.timestamp + 5) * 1000;
const base: MakerOrder = {
  maker: parseAddress(privateKeyToAddress(KEY)),
  taker: ANYONE,
  makerToken: buyToken,
  takerToken: sellToken,
  makerAmount: 10n ** 20n,
  takerAmount: 3n,
  expiry: BigInt(market.block.timestamp + 300),
  salt: 1n,
};

type Quote = { orders: { order: Record<string, string>; signature: string }[] };

let server: TinyServer;
let respond: (request: IncomingMessage, response: ServerResponse) => void;
beforeEach(async () => {
  server = await serve((incoming, response) => respond(incoming, response));
});
afterEach(() => server.close());

async function reply(
  changes: Partial<MakerOrder> = {},
  domain: { readonly chainId: number } = market,
): Promise<Quote> {
  const order = { ...base, ...changes };
  const makerOrders = market.makerOrders ?? ANYONE;
  const signature = await signOrder({ chainId: domain.chainId, makerOrders }, order, KEY);
  const fields = Object.entries(order).map(([name, value]) => [name, `${value}`]);
  return { orders: [{ order: Object.fromEntries(fields), signature }] };
}

function makerHere(options: HttpMakerOptions): Maker {
  const endpoint = { chainId: market.chainId, url: `${server.url}/quote?key=hidden` };
  return httpMaker(endpoint, 'maker 1', { timeoutMs: 10_000, clock: () => NOW_MS, ...options });
}

async function requestQuotes(options: HttpMakerOptions = {}, maker = makerHere(options)) {
  const missing: MissingQuote[] = [];
  const { pools } = await withQuotes(market, request, [maker], (one) => missing.push(one));
  return { quoted: pools.length - market.pools.length, missing };
}

function respondWith(body: unknown, status = 200): void {
  respond = (_, response) => {
    response.statusCode = status;
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

test("a signed order -> one more pool; the request describes the trade and preserves the URL's query", async () => {
  const body = JSON.stringify(await reply());
  let url = '';
  respond = (incoming, response) => {
    url = incoming.url ?? '';
    response.end(body);
  };
  expect(await requestQuotes()).toEqual({ quoted: 1, missing: [] });
  expect(Object.fromEntries(new URL(url, 'http://maker').searchParams)).toEqual({
    key: 'hidden',
    chainId: String(market.chainId),
    sellToken,
    buyToken,
    sellAmount: '99',
    taker,
    makerOrders: market.makerOrders,
  });
});

test('an empty list of orders -> no pool, and no fault', async () => {
  respondWith({ orders: [] });
  expect(await requestQuotes()).toEqual({ quoted: 0, missing: [] });
});

test('the same order twice -> one pool, since it can be filled only once', async () => {
  const { orders } = await reply();
  const others = (await reply({ salt: 2n })).orders;
  respondWith({ orders: [...orders, ...others, ...orders] });
  expect(await requestQuotes()).toEqual({ quoted: 2, missing: [] });
});

async function tampered(): Promise<Quote> {
  const { orders } = await reply();
  return { orders: orders.map((one) => ({ ...one, order: { ...one.order, salt: '2' } })) };
}

/** Some signers produce a v of 0 or 1. */
async function quoteWithUnrecoverableSignature(): Promise<Quote> {
  const { orders } = await reply();
  const fromZero = (signature: string) =>
    `${signature.slice(0, -2)}0${Number.parseInt(signature.slice(-2), 16) - 27}`;
  return { orders: orders.map((one) => ({ ...one, signature: fromZero(one.signature) })) };
}

const UNUSABLE_REPLIES: readonly (readonly [string, () => unknown, QuoteFault])[] = [
  ['a tampered order', tampered, 'bad-signature'],
  ['a signature for another chain', () => reply({}, { chainId: 1 }), 'bad-signature'],
  ['an order that expires within a minute', () => reply({ expiry: base.expiry - 241n }), 'expired'],
  ['an order for other tokens', () => reply({ makerToken: sellToken }), 'other-trade'],
  ['an order for another taker', () => reply({ taker: base.maker }), 'other-trade'],
  ['an order that pays 0', () => reply({ makerAmount: 0n }), 'malformed'],
  ['an amount beyond 38 digits', () => reply({ takerAmount: 10n ** 38n }), 'malformed'],
  ['a signature that `MakerOrders` cannot recover', quoteWithUnrecoverableSignature, 'malformed'],
  ['no JSON', () => '{"orders":', 'malformed'],
  ['more than 64 KiB', () => ' '.repeat(70_000), 'malformed'],
  ['JSON of another shape', () => [], 'malformed'],
];

test.each(UNUSABLE_REPLIES)(
  '%s -> planned without the maker, and the fault is reported',
  async (_, body, fault) => {
    respondWith(await body());
    expect(await requestQuotes()).toEqual({
      quoted: 0,
      missing: [{ maker: 'maker 1', chainId: market.chainId, fault }],
    });
  },
);

test('an error, a redirect, no reply in time, a connection that breaks -> planned without the maker, and the fault is reported', async () => {
  const faultsOf = async (options?: HttpMakerOptions) =>
    (await requestQuotes(options)).missing.map((m) => m.fault);
  respondWith('no', 500);
  expect(await faultsOf()).toEqual(['rejected']);
  respond = (_, response) => {
    response.writeHead(302, { location: '/other' }).end();
  };
  expect(await faultsOf()).toEqual(['unreachable']);
  respond = () => {};
  expect(await faultsOf({ timeoutMs: 50 })).toEqual(['too-late']);
  respond = (incoming) => {
    incoming.socket.destroy();
  };
  expect(await faultsOf()).toEqual(['unreachable']);
});

test('the maximum number of requests in flight -> planned immediately without the maker; after a reply, the maker is asked again', async () => {
  const held: ServerResponse[] = [];
  respond = (_, response) => held.push(response);
  const maker = makerHere({ maxInFlight: 2 });
  const first = [requestQuotes({}, maker), requestQuotes({}, maker)];
  expect((await requestQuotes({}, maker)).missing).toMatchObject([{ fault: 'busy' }]);
  await expect.poll(() => held.length).toBe(2);
  for (const response of held) response.end('{"orders":[]}');
  expect((await Promise.all(first)).map(({ missing }) => missing)).toEqual([[], []]);
  respondWith({ orders: [] });
  expect((await requestQuotes({}, maker)).missing).toEqual([]);
});
