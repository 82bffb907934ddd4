import { decodeFunctionData, encodeFunctionResult, type Hex, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { cacheReads } from './cached-reads.ts';
import { JsonRpcError, NodeUnreachableError, type Rpc } from './json-rpc.ts';

const ACCOUNT = `0x${'a'.repeat(40)}`;
const word = (value: number) => value.toString(16).padStart(64, '0');

/**
 * Slot N of an account contains N, and its balance is 99. If `bulk` is `able`, one call can read
 * many slots. Otherwise, that call has the given outcome.
 */
function node(bulk?: 'able' | '0x' | Error, code = '0xf0') {
  const requested: string[] = [];
  const send: Rpc = async (method, params = []) => {
    requested.push([method, ...(method === 'eth_call' ? [params[1]] : params)].join(' '));
    if (method === 'eth_getCode') return code as never;
    if (method === 'eth_getTransactionCount') return '0x1' as never;
    if (method !== 'eth_call') return `${method} ${params.at(-1)}` as never;
    if (bulk instanceof Error) throw bulk;
    if (bulk === undefined) throw new JsonRpcError(method, { message: 'no overrides' });
    return (bulk === 'able' ? readParts(params[0] as { readonly data: Hex }) : bulk) as never;
  };
  return { requested, rpc: cacheReads(send) };
}

const abi = parseAbi([
  'struct Part { address account; bool isBalance; uint256 slot; }',
  'function read(Part[] parts) view returns (uint256[])',
]);

function readParts({ data }: { readonly data: Hex }): Hex {
  const [parts] = decodeFunctionData({ abi, data }).args;
  const result = parts.map(({ isBalance, slot }) => (isBalance ? 99n : slot));
  return encodeFunctionResult({ abi, result });
}

const readAll = async (rpc: Rpc, block: string) =>
  Promise.all([
    rpc('eth_getBalance', [ACCOUNT, block]),
    rpc('eth_getCode', [ACCOUNT, block]),
    rpc('eth_getTransactionCount', [ACCOUNT, block]),
    rpc('eth_getStorageAt', [ACCOUNT, '0x7', block]),
  ]);

describe('cacheReads', () => {
  test('the same read of one block -> requested once, even while it is in flight', async () => {
    const { rpc, requested } = node();
    await Promise.all([readAll(rpc, '0x1'), readAll(rpc, '0x1')]);
    expect(requested.filter((call) => !call.startsWith('eth_call'))).toHaveLength(4);
    expect(await rpc('eth_getStorageAt', [ACCOUNT, '0x7', '0x1'])).toBe('eth_getStorageAt 0x1');
  });

  test('another block, another slot, and the latest -> requested again; code and the nonce of a contract that created no other are cached', async () => {
    const { rpc, requested } = node();
    await readAll(rpc, '0x1');
    requested.length = 0;
    await readAll(rpc, '0x2');
    await rpc('eth_getStorageAt', [ACCOUNT, '0x8', '0x2']);
    await rpc('eth_getBlockByNumber', ['latest', false]);
    await rpc('eth_getBlockByNumber', ['latest', false]);
    expect(requested).toEqual([
      `eth_getBalance ${ACCOUNT} 0x2`,
      `eth_getStorageAt ${ACCOUNT} 0x7 0x2`,
      `eth_getStorageAt ${ACCOUNT} 0x8 0x2`,
      'eth_getBlockByNumber latest false',
      'eth_getBlockByNumber latest false',
    ]);
  });

  test('a read that fails -> not cached', async () => {
    let calls = 0;
    const rpc = cacheReads(async () => {
      calls += 1;
      if (calls === 1) throw new Error('once');
      return '0x5' as never;
    });
    await expect(rpc('eth_getBalance', [ACCOUNT, '0x1'])).rejects.toThrow('once');
    expect(await rpc('eth_getBalance', [ACCOUNT, '0x1'])).toBe('0x5');
  });

  test('slots and balances requested at once -> read in one call', async () => {
    const { rpc, requested } = node('able');
    const values = await Promise.all([
      rpc('eth_getBalance', [`0x${'c'.repeat(40)}`, '0x1']),
      rpc('eth_getBalance', [ACCOUNT, '0x1']),
      rpc('eth_getStorageAt', [ACCOUNT, '0x7', '0x1']),
      rpc('eth_getStorageAt', [ACCOUNT, '0x8', '0x1']),
    ]);
    expect(values).toEqual(['0x63', '0x63', `0x${word(7)}`, `0x${word(8)}`]);
    expect(requested).toEqual(['eth_call 0x1']);
  });

  test.each([
    ['rejects code overrides', undefined],
    ['ignores code overrides', '0x' as const],
    ['rejects such a long call', new NodeUnreachableError('http://node', 'no', { status: 413 })],
  ])('a node that %s -> called once for each value, and not in bulk again', async (_, bulk) => {
    const { rpc, requested } = node(bulk);
    await readAll(rpc, '0x1');
    await readAll(rpc, '0x2');
    await readAll(rpc, '0x3');
    expect(requested.filter((call) => call.startsWith('eth_call'))).toHaveLength(1);
    expect(await rpc('eth_getBalance', [ACCOUNT, '0x2'])).toBe('eth_getBalance 0x2');
  });
});
