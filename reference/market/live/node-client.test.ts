import { encodeAbiParameters, parseAbi, toHex } from 'viem';
import { afterEach, expect, test, vi } from 'vitest';
import { startOfBody } from './faulty-node.testing.ts';
import { CALL_RESULTS, createNodeClient, describeNodeFailure } from './node-client.ts';
import { fetchOf, partsOf } from './simulated-node.testing.ts';

const URL_WITH_KEY = 'http://node.test/a-secret';

/** Sends headers and half a body, and then nothing, until it is aborted. */
const stall: typeof fetch = async (_input, init) =>
  new Response(startOfBody(init?.signal ?? new AbortController().signal));

/** Returns why a read of the latest block fails, in words. */
async function failureOf(send: typeof fetch, signal?: AbortSignal): Promise<string> {
  const { client } = createNodeClient(URL_WITH_KEY, { fetch: send, ...(signal && { signal }) });
  const both = Promise.all([client.getChainId(), client.getBlockNumber()]);
  const error = await both.then(
    () => new Error('answered'),
    (caught: unknown) => caught,
  );
  return describeNodeFailure(error);
}

afterEach(() => {
  vi.useRealTimers();
});

test('a reply that stalls after its headers -> given up in 20 s, and not asked for again', async () => {
  vi.useFakeTimers();
  const why = failureOf(stall);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await why).toBe('it did not answer in 20 s');
});

test('its signal -> ends a reply that stalls', async () => {
  const ending = new AbortController();
  let asked = 0;
  const why = failureOf((...args) => {
    asked++;
    setImmediate(() => ending.abort());
    return stall(...args);
  }, ending.signal);
  expect(await why).not.toBe('answered');
  expect(asked).toBe(1);
});

test.each<[string, (parts: readonly { id: number }[]) => string]>([
  ['cut off', (parts) => JSON.stringify(parts).slice(0, -3)],
  ['without one of its parts', (parts) => JSON.stringify(parts.slice(1))],
  ['with one part twice', ([first]) => JSON.stringify([first, first])],
])('a batch %s -> fails, none of its parts is taken for another', async (_, reply) => {
  const send: typeof fetch = async (_input, init) => {
    const parts = partsOf(init).map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1' }));
    return new Response(reply(parts));
  };
  expect(await failureOf(send)).toBe('its reply is incomplete');
});

/** A node that answers one call at a time, and a batch as told. */
function takingNoBatch(refuse: () => Response) {
  const bodies: string[] = [];
  const send: typeof fetch = async (_input, init) => {
    const body = String(init?.body);
    bodies.push(body);
    if (body.startsWith('[')) return refuse();
    return new Response(`{"jsonrpc":"2.0","id":${JSON.parse(body).id},"result":"0x7"}`);
  };
  return { bodies, client: createNodeClient(URL_WITH_KEY, { fetch: send }).client };
}

test.each<[string, () => Response]>([
  ['413', () => new Response('', { status: 413 })],
  ['400', () => new Response('no batches', { status: 400 })],
  [
    'one error for all of it',
    () => new Response('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}'),
  ],
])('a batch refused by %s -> each part asked for by itself, from then on', async (_, refuse) => {
  const { bodies, client } = takingNoBatch(refuse);
  for (let round = 1; round <= 2; round += 1) {
    expect(await Promise.all([client.getChainId(), client.getBlockNumber()])).toEqual([7, 7n]);
  }
  expect(bodies.filter((body) => body.startsWith('['))).toHaveLength(1);
  expect(bodies).toHaveLength(5);
});

test('429 thrice, then answered -> read; to the end -> that', async () => {
  vi.useFakeTimers();
  let refusals = 3;
  const answer = fetchOf(({ id }) => ({ jsonrpc: '2.0', id, result: '0x7' }));
  const send: typeof fetch = async (...args) => {
    refusals -= 1;
    return refusals >= 0 ? new Response('', { status: 429 }) : answer(...args);
  };
  const { client } = createNodeClient(URL_WITH_KEY, { fetch: send });
  const read = client.getChainId();
  await vi.advanceTimersByTimeAsync(1_750);
  expect(await read).toBe(7);
  refusals = Number.POSITIVE_INFINITY;
  const why = failureOf(send);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await why).toBe('it answers HTTP 429');
});

test('ids that come back as text -> read all the same', async () => {
  const send = fetchOf(({ id }) => ({ jsonrpc: '2.0', id: String(id) as never, result: '0x7' }));
  const { client } = createNodeClient(URL_WITH_KEY, { fetch: send });
  expect(await Promise.all([client.getChainId(), client.getBlockNumber()])).toEqual([7, 7n]);
});

test.each([
  ['Ethereum', {}, 100n],
  ['Arbitrum, where contracts see the number of a block of Ethereum', { l1BlockNumber: '0x5' }, 5n],
])(
  'a bundle of %s -> taken at the number that contracts see there, refused at another',
  async (_, more, seen) => {
    const block = { hash: `0x${'b'.repeat(64)}`, number: 100n, timestamp: 7n, ...more } as const;
    const read = (number: bigint) => {
      const results = [{ success: true, data: toHex(18, { size: 32 }) }];
      const result = encodeAbiParameters(CALL_RESULTS, [number, 7n, results]);
      const send = fetchOf(({ id }) => ({ jsonrpc: '2.0', id, result }));
      const abi = parseAbi(['function decimals() view returns (uint8)']);
      const call = { address: `0x${'a'.repeat(40)}`, abi, selector: '0x313ce567' } as const;
      return createNodeClient(URL_WITH_KEY, { fetch: send }).readAll([call], block);
    };
    expect(await read(seen)).toEqual([18]);
    await expect(read(105n - seen)).rejects.toThrow(/^it answers as of block \d+ for another$/);
  },
);
