import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { serve as listenHere } from '../../fixtures/testing/tiny-server.testing.ts';
import { ENCODERS } from '../encoding/encoders.ts';
import { formsMiddleware } from '../forms/apply-forms.ts';
import { createApp, type ReferenceOptions } from './app.ts';
import { createHttpServer, listen } from './http-server.ts';
import {
  at,
  CALLDATA,
  doublePlanner,
  KEY,
  LONER,
  PROXY,
  RECIPIENT,
  ROUTER,
  readableEncoders,
  SMALL_MARKET,
  swapQuery,
  USD,
  USER,
  WETH,
} from './small-market.testing.ts';

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const ZERO = `0x${'0'.repeat(40)}`;

function serve(options: ReferenceOptions = {}) {
  const app = createApp({
    markets: [SMALL_MARKET, { ...SMALL_MARKET, chainId: 31338, name: 'Other', routers: [] }],
    apiKeys: [KEY],
    planner: doublePlanner,
    encoders: readableEncoders,
    clock: () => 1_800_000_000_000,
    ...options,
  });
  return request(app.callback());
}

const swap = (changes: Record<string, string | undefined> = {}) =>
  `/api/v1.0/swap?${swapQuery(changes)}`;

const lower = (value: unknown) => String(value).toLowerCase();

describe('/chains, /tokens and /chainInfo', () => {
  const withKey = (path: string) => `/api/v1.0/${path}apiKey=${encodeURIComponent(KEY)}`;

  test('chains -> every market and its name', async () => {
    const { status, type, body } = await serve().get(withKey('chains?'));
    expect([status, type]).toEqual([200, 'application/json']);
    expect(body).toEqual([
      { chainId: 31337, name: 'Smallville' },
      { chainId: 31338, name: 'Other' },
    ]);
  });

  test('tokens -> the tokens that at least one pool trades, checksummed, with a logo', async () => {
    const { body } = await serve().get(withKey('tokens?chainId=31337&'));
    expect(body).toEqual([
      {
        address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        name: 'WETH coin',
        symbol: 'WETH',
        decimals: 18,
        metadata: { logoURI: 'https://logo.test/WETH.svg' },
      },
      expect.objectContaining({ symbol: 'USD₮', decimals: 6 }),
    ]);
    expect(lower(body[0].address)).toBe(WETH);
    expect(body[0].address).not.toBe(WETH);
  });

  test('chainInfo -> USD token, wrapped token and routers; a token proxy only for a router with one', async () => {
    const { body } = await serve().get(withKey('chainInfo?chainId=31337&'));
    expect(body).toMatchObject({ chainId: 31337, name: 'Smallville' });
    expect(lower(body.usdTokenAddress)).toBe(USD);
    expect(lower(body.wrappedNativeTokenAddress)).toBe(WETH);
    expect(body.routers).toMatchObject([
      { name: 'universal-router', liquiditySources: ['uniswap-v2'], hasEncoder: true },
      { name: 'default-router', liquiditySources: ['uniswap-v2'], hasEncoder: false },
    ]);
    expect(lower(body.routers[0].deployedAddress)).toBe(ROUTER);
    expect(lower(body.routers[0].tokenProxyAddress)).toBe(PROXY);
    expect(body.routers[1]).not.toHaveProperty('tokenProxyAddress');
  });
});

describe('/swap', () => {
  test('exact input -> every field of 2.1, no calldata fields', async () => {
    const { status, body } = await serve().get(swap());
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(
      ['aggregator', 'buy', 'nativeTokenUsdPrice', 'router', 'routes', 'sell', 'tokens'].sort(),
    );
    const bySymbol = (symbol: string) =>
      body.tokens.find((token: { symbol: string }) => token.symbol === symbol);
    const [weth, usd] = [bySymbol('WETH'), bySymbol('USD₮')];
    expect(body.tokens).toHaveLength(2);
    expect([weth.decimals, usd.decimals, usd.usdPrice]).toEqual([18, 6, 1]);
    expect(body).toMatchObject({
      router: 'default-router',
      sell: { referenceId: weth.referenceId, amount: '1000' },
      buy: { referenceId: usd.referenceId, amount: '2000' },
      routes: [
        {
          name: 'uniswap-v2',
          details: { feeInBps: 30 },
          fromTokens: [{ referenceId: weth.referenceId, amount: '1000' }],
          toTokens: [{ referenceId: usd.referenceId, amount: '2000' }],
        },
      ],
    });
    expect(lower(body.routes[0].address)).toBe(at('31'));
    expect(body.nativeTokenUsdPrice).toBeCloseTo(2000, 6);
    expect(weth.usdPrice).toBe(body.nativeTokenUsdPrice);
    expect(body.sell).not.toHaveProperty('wrapFromNative');
    expect(body.buy).not.toHaveProperty('unwrapToNative');
  });

  test('includeCalldata -> the three calldata fields, encoded with the requested options', async () => {
    const changes = { ...CALLDATA, recipientAddress: RECIPIENT, sellToken: NATIVE };
    const { body } = await serve().get(swap(changes));
    expect(lower(body.routerAddress)).toBe(ROUTER);
    expect(body.gasLimit).toBe('210000');
    expect(JSON.parse(Buffer.from(body.calldata.slice(2), 'hex').toString())).toEqual({
      user: USER,
      recipient: RECIPIENT,
      slippageBps: 50,
      deadline: '1800001800',
      sellNative: true,
      buyNative: false,
    });
  });

  test.each([
    ['the router', ROUTER, 'a router'],
    ['another router', at('23'), 'a router'],
    ['the token proxy', PROXY, 'a token proxy'],
    ['the wrapped native token', WETH, 'a token'],
    ['the token that is bought', USD, 'a token'],
    ['a token of other trades', LONER, 'a token'],
    ['a pool', at('31'), 'a pool'],
  ])(
    '%s as recipient, given or by default -> 400; without calldata -> accepted',
    async (_, address, what) => {
      const service = serve();
      const rejectionOf = async (changes: object) => {
        const { status, body } = await service.get(swap({ ...CALLDATA, ...changes }));
        return [status, body.message];
      };
      const rejected = (name: string) => [
        400,
        `Parameter '${name}' is '${address}': expected an account that can be paid, not ${what} of chain 31337.`,
      ];
      expect(await rejectionOf({ recipientAddress: address.replaceAll('a', 'A') })).toEqual(
        rejected('recipientAddress'),
      );
      expect(await rejectionOf({ userAddress: address })).toEqual(rejected('userAddress'));
      const unpaid = { userAddress: address, recipientAddress: RECIPIENT };
      expect(await rejectionOf(unpaid)).toEqual([200, undefined]);
      const plain = { recipientAddress: address, includeCalldata: 'false' };
      expect(await rejectionOf(plain)).toEqual([200, undefined]);
    },
  );

  test('calldata for another user, slippage, recipient or minute -> encoded again', async () => {
    let nowMs = 1_800_000_000_000;
    const app = serve({ clock: () => nowMs });
    const getCalldata = async (changes: Record<string, string>) =>
      (await app.get(swap({ ...CALLDATA, ...changes }))).body.calldata as string;
    const first = await getCalldata({});
    expect(await getCalldata({})).toBe(first);
    const others = [
      await getCalldata({ userAddress: at('77') }),
      await getCalldata({ slippageTolerance: '0.0051' }),
      await getCalldata({ recipientAddress: RECIPIENT }),
    ];
    nowMs += 60_000;
    others.push(await getCalldata({}));
    expect(new Set([first, ...others]).size).toBe(5);
  });

  test('calldata for a router without an encoder -> 400 with the reason; only a plan -> 200', async () => {
    const { status, body } = await serve().get(swap({ ...CALLDATA, router: 'default-router' }));
    expect([status, body.error]).toEqual([400, 'NO_ENCODER']);
    expect(body.message).toContain('default-router');
    expect((await serve().get(swap({ router: 'default-router' }))).status).toBe(200);
  });

  test.each([
    ['default-router', 'sellAmount', 128n, 1n],
    ['default-router', 'buyAmount', 128n, 1n],
    ['universal-router', 'sellAmount', 160n, 1n],
    ['universal-router', 'buyAmount', 160n, 2n],
  ] as const)(
    '%s, %s beyond %i bits -> 400 with the reason for calldata; a plan, and calldata for less -> 200',
    async (router, side, bits, per) => {
      const app = serve({ encoders: ENCODERS });
      const replyFor = async (amount: bigint, more: Record<string, string> = CALLDATA) => {
        const both = { sellAmount: undefined, buyAmount: undefined, [side]: `${amount}` };
        return await app.get(swap({ ...more, router, ...both }));
      };
      const tooMuch = per << bits;
      for (const amount of [tooMuch, (1n << 256n) - 1n]) {
        const { status, body } = await replyFor(amount);
        expect([status, body.error]).toEqual([400, 'AMOUNT_TOO_LARGE']);
        expect(body.message).toContain(`'${side}' is '${amount}'`);
        expect(body.message).toContain(`less than 2^${bits}`);
        expect((await replyFor(amount, {})).status).toBe(200);
      }
      expect((await replyFor(tooMuch - 2n)).status).toBe(200);
    },
  );

  test('a repeated request -> planned once; with planCacheSize 0 -> planned each time', async () => {
    for (const [planCacheSize, plans] of [
      [10, 1],
      [0, 2],
    ] as const) {
      let planned = 0;
      const planner: ReferenceOptions['planner'] = (...trade) => {
        planned += 1;
        return doublePlanner(...trade);
      };
      const app = serve({ planner, planCacheSize });
      const first = await app.get(swap());
      const second = await app.get(swap({ useRfq: 'true' }));
      expect(second.body).toEqual(first.body);
      expect(planned).toBe(plans);
    }
  });

  test.each([
    ['a token that the chain does not have', { sellToken: at('99') }, 'UNKNOWN_TOKEN'],
    ['an unknown chain', { chainId: '1' }, 'UNKNOWN_CHAIN'],
    ['a router that is not deployed', { router: 'service-router' }, 'ROUTER_UNAVAILABLE'],
    ['equal tokens', { buyToken: WETH }, 'SAME_TOKEN'],
    [
      'equal tokens in different letter case',
      { sellToken: `0x${USD.slice(2).toUpperCase()}`, buyToken: USD },
      'SAME_TOKEN',
    ],
    ['the native token for its wrapped token', { sellToken: NATIVE, buyToken: WETH }, 'SAME_TOKEN'],
    ['the wrapped token for the native token', { buyToken: ZERO }, 'SAME_TOKEN'],
    ['the two native aliases', { sellToken: ZERO, buyToken: NATIVE }, 'SAME_TOKEN'],
    ['a token that no pool trades', { buyToken: LONER }, 'NO_ROUTE'],
    ['more than the market holds', { sellAmount: '999' }, 'INSUFFICIENT_LIQUIDITY'],
    ['an amount that buys less than one unit', { sellAmount: '998' }, 'AMOUNT_TOO_SMALL'],
    ['both amounts', { buyAmount: '1' }, 'CONFLICTING_PARAMETERS'],
    ['neither amount', { sellAmount: undefined }, 'MISSING_PARAMETER'],
    ['calldata without a user', { ...CALLDATA, userAddress: undefined }, 'MISSING_PARAMETER'],
    [
      'calldata without slippage',
      { ...CALLDATA, slippageTolerance: undefined },
      'MISSING_PARAMETER',
    ],
    [
      'a recipient that the Universal Router interprets as the sender',
      { ...CALLDATA, recipientAddress: `0x${'1'.padStart(40, '0')}` },
      'INVALID_PARAMETER',
    ],
    ['calldata for the zero address', { ...CALLDATA, userAddress: ZERO }, 'INVALID_PARAMETER'],
    [
      'calldata with the zero address as recipient',
      { ...CALLDATA, recipientAddress: ZERO },
      'INVALID_PARAMETER',
    ],
    [
      'calldata that pays an alias of the native token',
      { ...CALLDATA, recipientAddress: NATIVE },
      'INVALID_PARAMETER',
    ],
    [
      'calldata that pays a precompile',
      { ...CALLDATA, recipientAddress: `0x${'1ff'.padStart(40, '0')}` },
      'INVALID_PARAMETER',
    ],
  ])('%s -> 400', async (_condition, changes, code) => {
    const { status, type, body } = await serve().get(swap(changes));
    expect([status, type]).toEqual([400, 'application/json']);
    expect(body).toMatchObject({ error: code, message: expect.stringMatching(/\.$/) });
  });
});

describe('keys', () => {
  test.each(['swap', 'tokens', 'chains', 'chainInfo'])('%s without a key -> 400', async (path) => {
    const { status, body } = await serve().get(`/api/v1.0/${path}?chainId=31337`);
    expect([status, body.error]).toEqual([400, 'MISSING_PARAMETER']);
    expect(body.details.parameter).toBe('apiKey');
  });

  test('an unknown key -> 400 that does not echo the key', async () => {
    const { status, body, text } = await serve().get('/api/v1.0/chains?apiKey=s3cret-wr0ng');
    expect([status, body.error]).toEqual([400, 'UNKNOWN_API_KEY']);
    expect(text).not.toContain('s3cret');
  });

  test('a repeated key -> 400, even if one value is valid', async () => {
    const { status, body } = await serve().get(`${swap()}&apiKey=x`);
    expect([status, body.error]).toEqual([400, 'REPEATED_PARAMETER']);
  });

  test('a prefix or an extension of a key -> rejected', async () => {
    for (const apiKey of [`${KEY} `, KEY.slice(0, -1), KEY.toUpperCase()]) {
      expect((await serve().get(swap({ apiKey }))).status).toBe(400);
    }
  });

  test("another client's key in a bad value -> shown, so that nobody can confirm a guess", async () => {
    const app = serve({ apiKeys: [KEY, 'other-key'] });
    const { body } = await app.get(swap({ sellToken: 'other-key' }));
    expect(body.details.value).toBe('other-key');
  });
});

describe('paths and methods', () => {
  test.each(['/', '/api/v1.0', '/api/v1.0/swap/', '/api/v1.0/Swap', '/api/v2.0/swap', '//swap'])(
    '%s -> 404 with an Error body',
    async (path) => {
      const { status, body } = await serve().get(`${path}?apiKey=x`);
      expect([status, body.error]).toEqual([404, 'NOT_FOUND']);
    },
  );

  test.each(['post', 'put', 'patch', 'delete', 'options'] as const)(
    '%s -> 405 with Allow and an Error body',
    async (method) => {
      const { status, headers, body } = await serve()[method](swap());
      expect([status, headers['allow'], body.error]).toEqual([405, 'GET', 'METHOD_NOT_ALLOWED']);
    },
  );

  test('HEAD -> 405 without a body', async () => {
    const { status, headers, text } = await serve().head(swap());
    expect([status, headers['allow'], text]).toEqual([405, 'GET', undefined]);
  });

  test.each(['chainId=%ZZ', 'x=%1', '%=x', 'x=%FF', 'x=%C3%28', 'x=%ED%A0%80', '%E0%A4%A=1'])(
    'malformed percent-encoding %s -> 400 that does not quote the key',
    async (piece) => {
      const { status, body, text } = await serve().get(`/api/v1.0/chains?apiKey=zzz&${piece}`);
      expect([status, body.error]).toEqual([400, 'MALFORMED_REQUEST']);
      expect(text).not.toContain('zzz');
    },
  );

  test('an encoded name -> the same parameter; a second ? or = is part of the value', async () => {
    const path = `/api/v1.0/tokens?apiKey=${encodeURIComponent(KEY)}&chain%49d=`;
    expect((await serve().get(`${path}31337&&`)).status).toBe(200);
    const { body } = await serve().get(`${path}1=2?3`);
    expect(body.details).toMatchObject({ parameter: 'chainId', value: '1=2?3' });
  });

  test('unknown parameters -> ignored, even repeated', async () => {
    expect((await serve().get(`${swap()}&utm=1&utm=2&empty=&chainID=9&=7`)).status).toBe(200);
  });
});

test.each([swap(), '/api/v1.0/chains?apiKey=wrong', '/'])(
  '%s -> JSON that clients must not store or sniff',
  async (target) => {
    const { headers } = await serve().get(target);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  },
);

describe('failures', () => {
  test('a planner that throws -> 500 with an Error body; only the report has the stack', async () => {
    const lines: string[] = [];
    const planner: ReferenceOptions['planner'] = () => {
      throw new TypeError('boom');
    };
    const app = serve({ report: (line) => lines.push(line), planner });
    const { status, type, body, text } = await app.get(swap());
    expect([status, type, body.error]).toEqual([500, 'application/json', 'INTERNAL_ERROR']);
    expect(text).not.toMatch(/boom|\.ts|TypeError/);
    expect(lines).toEqual([expect.stringMatching(/^TypeError: boom\n +at /)]);
  });

  test('more trades than may wait -> 500 with an Error body and a Retry-After header', async () => {
    const app = serve({ maxQueued: 0 });
    const { status, headers, body } = await app.get(swap());
    expect([status, body.error, headers['retry-after']]).toEqual([500, 'OVERLOADED', '1']);
    expect(body.details).toEqual({ retryAfterMs: 1000 });
  });

  test('middleware -> runs around every operation', async () => {
    const app = serve({
      middleware: [
        async (ctx, next) => {
          await next();
          ctx.body = { ...Object(ctx.body), aggregator: 'other' };
        },
      ],
    });
    const { body } = await app.get(swap());
    expect(body).toMatchObject({ aggregator: 'other', sell: { amount: '1000' } });
  });
});

test('the key anywhere in a request, in any encoding -> in no reply', async () => {
  const app = serve();
  const everyByte = [...Buffer.from(KEY)].map((byte) => `%${byte.toString(16)}`).join('');
  const encodings = [encodeURIComponent(KEY), KEY.replace(' ', '+').replace('/', '%2f'), everyByte];
  const replies: string[] = [];
  for (const key of encodings) {
    for (const target of [
      `/api/v1.0/chains?apiKey=${key}`,
      `/api/v1.0/chains?apiKey=${key}&apiKey=${key}`,
      `/api/v1.0/tokens?chainId=${key}&apiKey=${key}`,
      `/api/v1.0/swap?apikey=${key}&router=a${key}b&apiKey=${key}`,
      `/api/v1.0/${key}?apiKey=${key}`,
      `/elsewhere/unheard-of?apiKey=unheard-of`,
      `/api/v1.0/chains?apiKey=${key}&x=%ZZ`,
    ]) {
      const { status, text } = await app.get(target);
      replies.push(`${status} ${text}`);
    }
  }
  for (const reply of replies) {
    for (const key of [...encodings, KEY, 'unheard-of']) {
      expect(reply.toLowerCase()).not.toContain(key.toLowerCase());
    }
  }
  expect(replies.some((reply) => reply.includes('[redacted]'))).toBe(true);
});

test('a client that disconnects -> nothing is reported, and nothing is planned', async () => {
  const lines: string[] = [];
  let planned = 0;
  let disconnect: () => void = () => {};
  let handled = 0;
  const app = createApp({
    markets: [SMALL_MARKET],
    apiKeys: [KEY],
    encoders: {},
    report: (line) => lines.push(line),
    planner: (...trade) => {
      planned += 1;
      return doublePlanner(...trade);
    },
    middleware: [
      async (ctx, next) => {
        disconnect();
        await new Promise<void>((resolve) => ctx.res.once('close', resolve));
        await next();
        handled += 1;
      },
    ],
  });
  const server = await listenHere(app.callback());
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  disconnect = () => socket.destroy();
  socket.write(`GET ${swap()} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await expect.poll(() => handled).toBe(1);
  expect([planned, lines]).toEqual([0, []]);
  await server.close();
});

describe('Host', () => {
  async function statusOf(head: string): Promise<string | undefined> {
    const { url, drain } = await listen(createHttpServer(createApp().callback()), 0, '127.0.0.1');
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.end(head);
    const reply = await text(socket);
    await drain(0);
    return /(?<=^HTTP\/1\.1 )\d+/.exec(reply)?.[0];
  }
  const target = '/api/v1.0/chains?apiKey=demo';

  test.each([
    ['two', `GET ${target} HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n`, '400'],
    ['none', `GET ${target} HTTP/1.1\r\nConnection: close\r\n\r\n`, '400'],
    ['one', `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`, '200'],
    ['none in HTTP/1.0', `GET ${target} HTTP/1.0\r\n\r\n`, '200'],
  ])('%s -> %s', async (_, head, status) => {
    expect(await statusOf(head)).toBe(status);
  });
});

describe('pages from other origins', () => {
  test.each([
    ['a plan', swap(), 200],
    ['an error', swap({ sellAmount: '0' }), 400],
    ['no operation', '/', 404],
  ])('%s -> readable by pages from other origins', async (_, target, status) => {
    const reply = await serve().get(target).set('Origin', 'https://app.example');
    expect(reply.status).toBe(status);
    expect(reply.headers['access-control-allow-origin']).toBe('*');
  });

  test('a preflight for custom headers -> allowed', async () => {
    const { status, headers, text } = await serve()
      .options(swap())
      .set('Access-Control-Request-Method', 'GET')
      .set('Access-Control-Request-Headers', 'x-request-id');
    expect([status, text]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': '*',
    });
  });
});

describe('files', () => {
  const files = new Map([['/', { type: 'text/html; charset=utf-8', body: '<!doctype html>' }]]);

  test('GET and HEAD -> the file, with a policy that allows only its own origin', async () => {
    const { status, text, headers } = await serve({ files }).get('/');
    expect([status, text]).toEqual([200, '<!doctype html>']);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect((await serve({ files }).head('/')).status).toBe(200);
    expect((await serve({ files }).post('/')).headers['allow']).toBe('GET, HEAD');
  });

  test('forms -> do not change files', async () => {
    const middleware = [formsMiddleware(['spread-json'])];
    expect((await serve({ files, middleware }).get('/')).text).toBe('<!doctype html>');
    expect((await serve({ files, middleware }).get('/nowhere')).text).toMatch(/^\n/);
  });
});
