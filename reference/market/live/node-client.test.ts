import { encodeAbiParameters, toHex } from 'viem';
import { afterEach, expect, test, vi } from 'vitest';
import { startOfBody } from './faulty-node.testing.ts';
import { type BlockId, CALL_RESULTS, createNodeClient } from './node-client.ts';
import { fetchOf, type RpcReply, responseOf } from './simulated-node.testing.ts';

const URL_WITH_KEY = 'http://node.test/a-secret';
const BLOCK: BlockId = { hash: `0x${'b'.repeat(64)}`, number: 100n, timestamp: 7n };
const DECIMALS = {
  address: `0x${'a'.repeat(40)}`,
  view: 'function decimals() view returns (uint8)',
};

/** Sends headers and the start of a body, and then nothing, until it is aborted. */
const stall: typeof fetch = async (_input, init) =>
  new Response(startOfBody(init?.signal ?? new AbortController().signal));

/** Returns the message with which a read of the chain id fails. */
async function failureOf(send: typeof fetch, signal?: AbortSignal): Promise<string> {
  const node = createNodeClient(URL_WITH_KEY, { fetch: send, ...(signal && { signal }) });
  return node.readChainId().then(
    () => 'no failure',
    (error: Error) => error.message,
  );
}

/** Result of a bundle of one call, executed at block `number`. */
function bundleOf(number: bigint): RpcReply {
  const results = [{ success: true, data: toHex(18, { size: 32 }) }];
  return { result: encodeAbiParameters(CALL_RESULTS, [number, BLOCK.timestamp, results]) };
}

afterEach(() => {
  vi.useRealTimers();
});

test('a reply that stalls after its headers -> fails after 20 s', async () => {
  vi.useFakeTimers();
  const failure = failureOf(stall);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await failure).toBe('it did not respond within 20 s');
});

test('an aborted signal -> ends a reply that stalls', async () => {
  const ending = new AbortController();
  let requests = 0;
  const failure = failureOf((...args) => {
    requests++;
    setImmediate(() => ending.abort());
    return stall(...args);
  }, ending.signal);
  expect(await failure).toBe('reading was stopped');
  expect(requests).toBe(1);
});

test.each<[string, () => Response, string]>([
  [
    'a truncated reply',
    () => new Response('{"jsonrpc":"2.0","id":1,"res'),
    'its reply is incomplete',
  ],
  ['a reply without a result', () => new Response('{"id":1}'), 'its reply is incomplete'],
  ['null', () => new Response('null'), 'its reply is incomplete'],
  ['HTTP 401', () => new Response('', { status: 401 }), 'it returns HTTP 401'],
  [
    'an error with a status',
    () => new Response('{"error":{"code":-32000}}', { status: 400 }),
    'it returns error -32000',
  ],
])('%s -> fails, with no word of the URL', async (_, respond, failure) => {
  expect(await failureOf(async () => respond())).toBe(failure);
});

test('a connection that fails -> tried once more', async () => {
  let failures = 1;
  const send: typeof fetch = async () => {
    if (failures-- > 0) throw new TypeError('fetch failed');
    return responseOf({ result: '0x7' });
  };
  expect(await createNodeClient(URL_WITH_KEY, { fetch: send }).readChainId()).toBe(7);
  failures = 2;
  expect(await failureOf(send)).toBe('it cannot be reached');
});

test.each([
  ['status 429', () => new Response('', { status: 429, headers: { 'Retry-After': '3600' } })],
  ['error -32005', () => responseOf({ error: { code: -32005 } })],
])('%s three times, then a result -> read; without end -> fails', async (_, limit) => {
  vi.useFakeTimers();
  let rejections = 3;
  const send: typeof fetch = async () =>
    rejections-- > 0 ? limit() : responseOf({ result: '0x7' });
  const read = createNodeClient(URL_WITH_KEY, { fetch: send }).readChainId();
  await vi.advanceTimersByTimeAsync(1_750);
  expect(await read).toBe(7);
  rejections = Number.POSITIVE_INFINITY;
  const failure = failureOf(send);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await failure).toMatch(/^it returns (HTTP 429|error -32005)$/);
});

test('no eth_gasPrice -> no gas price', async () => {
  const send = fetchOf(() => ({ error: { code: -32601 } }));
  expect(await createNodeClient(URL_WITH_KEY, { fetch: send }).readGasPrice()).toBeUndefined();
});

test.each([
  ['the block was not replaced', BLOCK.hash, [18]],
  ['the block was replaced', `0x${'c'.repeat(64)}`, 'its block 100 was replaced'],
] as const)('no eth_call by block hash, %s -> %s', async (_, hash, expected) => {
  const requested: unknown[] = [];
  const send = fetchOf(({ method, params }) => {
    if (method !== 'eth_call') return { result: { hash, number: '0x64', timestamp: '0x7' } };
    requested.push(params[1]);
    return typeof params[1] === 'object' ? { error: { code: -32602 } } : bundleOf(100n);
  });
  const node = createNodeClient(URL_WITH_KEY, { fetch: send });
  const read = () => node.readAll([DECIMALS], BLOCK).catch((error: Error) => error.message);
  expect([await read(), await read()]).toEqual([expected, expected]);
  expect(requested).toEqual([{ blockHash: BLOCK.hash }, '0x64', '0x64']);
});

test.each([
  ['Ethereum', undefined, 100n],
  ['Arbitrum, where contracts see a block number of Ethereum', '0x5', 5n],
] as const)(
  'a bundle on %s -> accepted only at the block number that contracts see',
  async (_, l1BlockNumber, seen) => {
    const read = async (number: bigint) => {
      const send = fetchOf(({ method }) =>
        method === 'eth_call'
          ? bundleOf(number)
          : {
              result: { ...{ hash: BLOCK.hash, number: '0x64', timestamp: '0x7' }, l1BlockNumber },
            },
      );
      const node = createNodeClient(URL_WITH_KEY, { fetch: send });
      return node.readAll([DECIMALS], await node.readBlock(100));
    };
    expect(await read(seen)).toEqual([18]);
    await expect(read(105n - seen)).rejects.toThrow(
      /^it executes calls at block \d+ instead of 100$/,
    );
  },
);

test('many calls -> bundles of at most 60, whose results stay in order', async () => {
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
  const results = await createNodeClient(URL_WITH_KEY, { fetch: send }).readAll(calls, BLOCK);
  expect(sizes).toEqual([60, 60, 10]);
  expect(results.slice(58, 62)).toEqual([58, 59, 0, 1]);
});
