import { encodeAbiParameters, toHex } from 'viem';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startOfBody } from './faulty-node.testing.ts';
import {
  type BlockId,
  CALL_RESULTS,
  createNodeClient,
  describeNodeFailure,
  type NodeOptions,
} from './node-client.ts';
import { fetchOf, type RpcReply, responseOf } from './simulated-node.testing.ts';

const BLOCK: BlockId = { hash: `0x${'b'.repeat(64)}`, number: 100n, timestamp: 7n };
const DECIMALS = {
  address: `0x${'a'.repeat(40)}`,
  view: 'function decimals() view returns (uint8)',
};

const clientOf = (options: NodeOptions) => createNodeClient('http://node.test/a-secret', options);

async function readChainId(options: NodeOptions): Promise<number | string> {
  const read = clientOf(options).client.getChainId().catch(describeNodeFailure);
  await vi.advanceTimersByTimeAsync(60_000);
  return read;
}

function bundleOf(number: bigint): RpcReply {
  const results = [{ success: true, data: toHex(18, { size: 32 }) }];
  return { result: encodeAbiParameters(CALL_RESULTS, [number, BLOCK.timestamp, results]) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a reply that stalls after its headers -> fails after 20 s, with one request', async () => {
  const send = vi.fn<typeof fetch>(async (_input, init) => {
    return new Response(startOfBody(init?.signal as AbortSignal));
  });
  expect(await readChainId({ fetch: send })).toBe('it did not respond within 20 s');
  expect(send).toHaveBeenCalledTimes(1);
});

test('an aborted signal -> ends a reply that stalls', async () => {
  const ending = new AbortController();
  const { signal } = ending;
  const send: typeof fetch = async (_input, init) => {
    setTimeout(() => ending.abort());
    return new Response(startOfBody(init?.signal as AbortSignal));
  };
  expect(await readChainId({ fetch: send, signal })).toBe('reading was stopped');
});

test.each<[string, () => Response, string]>([
  ['a truncated reply', () => new Response('{"id":1,"res'), 'its reply is incomplete'],
  ['HTTP 401', () => new Response('', { status: 401 }), 'it returns HTTP 401'],
  [
    'a failed connection',
    () => {
      throw new TypeError('fetch failed');
    },
    'it cannot be reached',
  ],
  [
    'an error with a status',
    () => new Response('{"error":{"code":-32000,"message":"no"}}', { status: 400 }),
    'it returns error -32000',
  ],
])('%s -> fails without mentioning the URL', async (_, respond, failure) => {
  expect(await readChainId({ fetch: async () => respond() })).toBe(failure);
});

test.each([
  ['status 429', () => new Response('', { status: 429, headers: { 'Retry-After': '3600' } })],
  ['error -32005', () => responseOf({ error: { code: -32005, message: 'limit exceeded' } })],
])('%s five times, then a result -> the result; at every attempt -> fails', async (_, limit) => {
  let rejections = 5;
  const send: typeof fetch = async () =>
    rejections-- > 0 ? limit() : responseOf({ result: '0x7' });
  expect(await readChainId({ fetch: send })).toBe(7);
  rejections = Number.POSITIVE_INFINITY;
  expect(await readChainId({ fetch: send })).toMatch(/^it returns (HTTP 429|error -32005)$/);
});

test.each([
  ['the block was not replaced', BLOCK.hash, [18]],
  ['the block was replaced', `0x${'c'.repeat(64)}`, 'its block 100 was replaced'],
] as const)('a node without eth_call by block hash, %s -> %s', async (_, hash, expected) => {
  const requested: unknown[] = [];
  const send = fetchOf(({ method, params }) => {
    if (method !== 'eth_call') return { result: { hash, number: '0x64', timestamp: '0x7' } };
    requested.push(params[1]);
    return typeof params[1] === 'object'
      ? { error: { code: -32602, message: 'invalid argument 1' } }
      : bundleOf(100n);
  });
  const node = clientOf({ fetch: send });
  const read = () => node.readAll([DECIMALS], BLOCK).catch(describeNodeFailure);
  expect([await read(), await read()]).toEqual([expected, expected]);
  expect(requested).toEqual([{ blockHash: BLOCK.hash }, '0x64', '0x64']);
});

test.each([
  ['Ethereum', {}, 100n],
  ["Arbitrum, where contracts see Ethereum's block number", { l1BlockNumber: '0x5' }, 5n],
])(
  'a bundle on %s -> accepted only at the block number that contracts see',
  async (_, more, seen) => {
    const read = (number: bigint) =>
      clientOf({ fetch: fetchOf(() => bundleOf(number)) }).readAll([DECIMALS], {
        ...BLOCK,
        ...more,
      });
    expect(await read(seen)).toEqual([18]);
    await expect(read(105n - seen)).rejects.toThrow(/^it executes calls at block \d+ instead of/);
  },
);

test('many calls -> bundles of at most 60, with results in the order of the calls', async () => {
  const sizes: number[] = [];
  const send = fetchOf((call) => {
    const count = (JSON.stringify(call).match(/313ce567/g) ?? []).length;
    sizes.push(count);
    const results = Array.from({ length: count }, (_, i) => ({
      success: true,
      data: toHex(i, { size: 32 }),
    }));
    return { result: encodeAbiParameters(CALL_RESULTS, [100n, 7n, results]) };
  });
  const calls = Array.from({ length: 130 }, () => DECIMALS);
  const results = await clientOf({ fetch: send }).readAll(calls, BLOCK);
  expect(sizes).toEqual([60, 60, 10]);
  expect(results.slice(58, 62)).toEqual([58, 59, 0, 1]);
});
