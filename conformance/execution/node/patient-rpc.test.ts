import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../client/fake-clock.testing.ts';
import { JsonRpcError, type NodeError, NodeUnreachableError, type Rpc } from './json-rpc.ts';
import { NodeLossError, NodeRejectionError, rejectionOf, retryOf } from './node-losses.ts';
import { createPatientRpc } from './patient-rpc.ts';

const URL = 'https://node.example/v2/KEY';
const erred = (error: NodeError, status?: number) =>
  new JsonRpcError('eth_call', error, URL, { status });
const limited = new NodeUnreachableError(URL, 'HTTP status 429 without JSON', { status: 429 });

describe('retryOf', () => {
  test.each([
    ['Geth', 'missing trie node 3f5a (path ) state 0x3f5a is not available, not found'],
    ['Geth by paths', 'historical state 4f0c is not available'],
    ['Erigon', 'old data not available due to pruning'],
    ['Erigon 3', 'pruned history: block 12'],
    ['Nethermind', 'No state available for block 0x12'],
    ['Reth', 'state at block #12 is pruned'],
    ['Besu', 'World state unavailable'],
    ['Infura', 'project ID does not have access to archive state'],
  ])('state that %s has pruned -> retried twice', (_, message) => {
    expect(retryOf(erred({ code: -32000, message }))).toBe('twice');
  });

  test('an exception of Nethermind in the data -> retried twice', () => {
    const data = 'Nethermind.Trie.MissingTrieNodeException: Node A is missing from the DB';
    expect(retryOf(erred({ code: -32603, message: 'Internal error', data }))).toBe('twice');
  });

  test.each([
    limited,
    erred({ code: 429, message: 'Your app has exceeded its compute units per second capacity' }),
    erred({ code: -32005, message: 'no' }),
    erred({ message: 'Too Many Requests' }),
    erred({ message: '50/second request limit reached - reduce calls per second' }),
    erred({ message: 'calm down' }, 429),
  ])('%s -> retried slower', (error) => {
    expect(retryOf(error)).toBe('slower');
  });

  test.each([
    erred({ code: -32000, message: 'header not found' }),
    erred({ code: -32001, message: 'Block 19000000 could not be found' }),
    erred({ code: -32000, message: 'block with number 7 not found' }),
    erred({ code: -32000, message: 'requested to block 7 after last accepted block 6' }),
  ])('%s -> retried later', (error) => {
    expect(retryOf(error)).toBe('later');
  });

  test.each([
    new NodeUnreachableError(URL, 'ECONNRESET'),
    new NodeUnreachableError(URL, 'HTTP status 502 without JSON', { status: 502 }),
    erred({ code: -32603, message: 'Internal error' }),
    erred({ code: -32000, message: 'context deadline exceeded' }),
  ])('%s -> retried later', (error) => {
    expect(retryOf(error)).toBe('later');
  });

  test.each([
    erred({ code: 3, message: 'execution reverted', data: '0x08c379a0' }),
    erred({ code: -32603, message: 'insufficient gas for floor data gas cost' }),
    erred({ code: -32603, message: 'EVM error InvalidFEOpcode' }),
    erred({ code: -32603, message: 'invalid opcode: INVALID' }),
    erred({ code: -32601, message: 'the method eth_getAccountInfo does not exist' }),
    new NodeUnreachableError(URL, 'HTTP status 401 without JSON', { status: 401 }),
    new TypeError('x is not a function'),
  ])('%s -> a final result', (error) => {
    expect(retryOf(error)).toBeUndefined();
  });
});

describe('rejectionOf', () => {
  const status = (status: number, retryAfterMs?: number) =>
    new NodeUnreachableError(URL, 'no', { status, retryAfterMs });
  test.each([
    [
      erred({ code: -32005, message: 'daily request count exceeded, request rate limited' }),
      'its quota is spent',
    ],
    [
      erred({ code: 429, message: 'Monthly capacity limit exceeded. Upgrade your scaling policy' }),
      'its quota is spent',
    ],
    [
      erred({ code: -32003, message: 'daily request limit reached - upgrade your account' }),
      'its quota is spent',
    ],
    [status(429, 7_200_000), 'its quota is spent, and it accepts calls in 2 hours'],
    [status(401), 'it does not accept the key in its URL (HTTP status 401)'],
    [status(402), 'its quota is spent (HTTP status 402)'],
    [status(403), 'it does not accept the key in its URL, or its quota is spent (HTTP status 403)'],
    [status(404), 'it serves no JSON-RPC (HTTP status 404)'],
  ])('%s -> %s', (error, why) => {
    expect(rejectionOf(error)).toBe(why);
  });

  test.each([
    erred({ message: 'Your app has exceeded its compute units per second capacity' }, 429),
    erred({ message: 'quota of 100 calls per second exceeded' }),
    erred({ code: 3, message: 'execution reverted: daily limit reached' }),
    status(429, 7_000),
    status(413),
    status(503),
  ])('%s -> other calls may succeed', (error) => {
    expect(rejectionOf(error)).toBeUndefined();
  });
});

function failing(...errors: readonly Error[]) {
  const clock = createFakeClock();
  const times: number[] = [];
  const queue = [...errors];
  const send: Rpc = async () => {
    times.push(clock.now());
    const error = queue.shift();
    if (error !== undefined) throw error;
    return 'answer' as never;
  };
  const rpc = createPatientRpc(send, { origin: 'https://node.example', clock });
  return { rpc, times, clock };
}

const many = (error: Error, count: number) => Array.from({ length: count }, () => error);

describe('createPatientRpc', () => {
  test('429 three times -> repeated after increasing pauses, then a result', async () => {
    const { rpc, times } = failing(...many(limited, 3));
    expect(await rpc('eth_getCode')).toBe('answer');
    expect(times).toEqual([0, 250, 750, 1_750]);
  });

  test('a node that requests a wait -> called again after it', async () => {
    const naming = (retryAfterMs: number) =>
      new NodeUnreachableError(URL, '429', { status: 429, retryAfterMs });
    const { rpc, times } = failing(naming(7_000), naming(30_000));
    await rpc('eth_getCode');
    expect(times).toEqual([0, 7_000, 37_000]);
  });

  test('a used-up quota -> no retry', async () => {
    const { rpc, times } = failing(new NodeUnreachableError(URL, 'no', { status: 402 }));
    await expect(rpc('eth_getCode')).rejects.toThrow(NodeRejectionError);
    expect(times).toEqual([0]);
  });

  test('one call that exceeds a rate limit -> all calls wait, and are then sent one after another', async () => {
    const { rpc, times } = failing(limited);
    await Promise.all([rpc('a'), rpc('b'), rpc('c')]);
    const [, , , again = 0] = times;
    expect(again).toBeGreaterThanOrEqual(250);
    await Promise.all([rpc('d'), rpc('e')]);
    expect(new Set(times.slice(3)).size).toBe(3);
  });

  test('429 after every retry -> lost; later calls are repeated only once until the node responds again', async () => {
    const { rpc, times, clock } = failing(...many(limited, 9));
    await expect(rpc('a')).rejects.toThrow(NodeLossError);
    expect(times).toHaveLength(7);
    const before = clock.now();
    await expect(rpc('b')).rejects.toThrow(
      'the node at https://node.example failed, even after every retry: HTTP status 429 without JSON',
    );
    expect(times).toHaveLength(9);
    expect(clock.now() - before).toBeLessThan(5_000);
    expect(await rpc('c')).toBe('answer');
  });

  test('pruned state -> requested three times, since another node may have it, then lost', async () => {
    const { rpc, times } = failing(...many(erred({ message: 'missing trie node 1' }), 3));
    await expect(rpc('a')).rejects.toThrow(
      'failed, even after every retry: missing trie node 1; use a node that keeps the state of more blocks',
    );
    expect(times).toEqual([0, 250, 750]);
    expect(await rpc('b')).toBe('answer');
  });

  test.each([401, 403])('%i for one method -> an error of that method', async (status) => {
    const { rpc, times } = failing(
      new NodeUnreachableError(URL, `HTTP status ${status}`, { status }),
    );
    await expect(rpc('debug_traceCall')).rejects.toThrow(`debug_traceCall: HTTP status ${status}`);
    expect(times).toEqual([0, 0]);
    expect(await rpc('eth_getCode')).toBe('answer');
  });

  test.each([401, 403])('%i for every method -> NodeRejectionError', async (status) => {
    const { rpc } = failing(...many(new NodeUnreachableError(URL, 'no', { status }), 2));
    await expect(rpc('debug_traceCall')).rejects.toThrow(NodeRejectionError);
  });

  test('a final error -> not repeated', async () => {
    const { rpc, times } = failing(erred({ code: 3, message: 'execution reverted' }));
    await expect(rpc('a')).rejects.toThrow(JsonRpcError);
    expect(times).toHaveLength(1);
  });
});
