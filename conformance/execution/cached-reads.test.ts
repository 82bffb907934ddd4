import { describe, expect, test } from 'vitest';
import { cacheReads } from './cached-reads.ts';
import { JsonRpcError, NodeUnreachableError, type Rpc } from './json-rpc.ts';

const ACCOUNT = `0x${'a'.repeat(40)}`;
const word = (value: number) => value.toString(16).padStart(64, '0');

/** A node that tells of each block what was asked, and can read in bulk if it is given what that returns. */
function node(bulk?: string | Error, code = '0xf0') {
  const asked: string[] = [];
  const ask: Rpc = async (method, params = []) => {
    asked.push([method, ...(method === 'eth_call' ? [params[1]] : params)].join(' '));
    if (method === 'eth_getCode') return code as never;
    if (method === 'eth_getTransactionCount') return '0x1' as never;
    if (method !== 'eth_call') return `${method} ${params.at(-1)}` as never;
    if (bulk instanceof Error) throw bulk;
    if (bulk === undefined) throw new JsonRpcError(method, { message: 'no overrides' });
    return bulk as never;
  };
  return { asked, ...cacheReads(ask) };
}

const readAll = async (rpc: Rpc, block: string) =>
  Promise.all([
    rpc('eth_getBalance', [ACCOUNT, block]),
    rpc('eth_getCode', [ACCOUNT, block]),
    rpc('eth_getTransactionCount', [ACCOUNT, block]),
    rpc('eth_getStorageAt', [ACCOUNT, '0x7', block]),
  ]);

describe('cacheReads', () => {
  test('the same read of one block -> asked once, also while it is under way', async () => {
    const { rpc, asked } = node();
    await Promise.all([readAll(rpc, '0x1'), readAll(rpc, '0x1')]);
    expect(asked.filter((call) => !call.startsWith('eth_call'))).toHaveLength(4);
    expect(await rpc('eth_getStorageAt', [ACCOUNT, '0x7', '0x1'])).toBe('eth_getStorageAt 0x1');
  });

  test('another block, another slot, and the latest -> asked again; code is kept', async () => {
    const { rpc, asked } = node();
    await readAll(rpc, '0x1');
    asked.length = 0;
    await readAll(rpc, '0x2');
    await rpc('eth_getStorageAt', [ACCOUNT, '0x8', '0x2']);
    await rpc('eth_getBlockByNumber', ['latest', false]);
    await rpc('eth_getBlockByNumber', ['latest', false]);
    expect(asked).toEqual([
      `eth_getTransactionCount ${ACCOUNT} 0x2`,
      `eth_getBalance ${ACCOUNT} 0x2`,
      `eth_getStorageAt ${ACCOUNT} 0x7 0x2`,
      `eth_getStorageAt ${ACCOUNT} 0x8 0x2`,
      'eth_getBlockByNumber latest false',
      'eth_getBlockByNumber latest false',
    ]);
  });

  test('code that makes no contract -> its nonce is known', async () => {
    const { rpc, asked } = node(undefined, '0x60f000');
    expect((await readAll(rpc, '0x1'))[2]).toBe('0x1');
    expect(asked.filter((call) => call.includes('TransactionCount'))).toEqual([]);
  });

  test('a read that fails -> not kept', async () => {
    let calls = 0;
    const { rpc } = cacheReads(async () => {
      calls += 1;
      if (calls === 1) throw new Error('once');
      return '0x5' as never;
    });
    await expect(rpc('eth_getBalance', [ACCOUNT, '0x1'])).rejects.toThrow('once');
    expect(await rpc('eth_getBalance', [ACCOUNT, '0x1'])).toBe('0x5');
  });

  test('slots that are asked for at once -> one call reads them', async () => {
    const told = [32, 6, 0, 1, 5, 6, 7, 8].map(word).join('');
    const { rpc, asked } = node(`0x${told}`);
    const read = (slot: number) => rpc('eth_getStorageAt', [ACCOUNT, `0x${slot}`, '0x1']);
    const values = await Promise.all([1, 2, 3, 4].map(read));
    expect(values).toEqual([5, 6, 7, 8].map((value) => `0x${word(value)}`));
    expect(asked).toEqual(['eth_call 0x1']);
  });

  test('balances of accounts that are asked for at once -> one call reads them with the slots', async () => {
    const told = [32, 7, 10, 0, 11, 1, 6, 12, 0].map(word).join('');
    const { rpc, asked } = node(`0x${told}`);
    const other = `0x${'b'.repeat(40)}`;
    const values = await Promise.all([
      rpc('eth_getBalance', [`0x${'c'.repeat(40)}`, '0x1']),
      rpc('eth_getBalance', [ACCOUNT, '0x1']),
      rpc('eth_getStorageAt', [ACCOUNT, '0x7', '0x1']),
      rpc('eth_getBalance', [other, '0x1']),
    ]);
    expect(values).toEqual(['0xa', '0xb', `0x${word(6)}`, '0xc']);
    expect(asked).toEqual(['eth_call 0x1']);
  });

  test('the first slot of an account -> read with those of another that has the same code', async () => {
    const told = [32, 4, 0, 1, 6, 7].map(word).join('');
    const { rpc, asked } = node(`0x${told}`);
    const twin = `0x${'b'.repeat(40)}`;
    const hashed = `0x${'f'.repeat(64)}`;
    for (const account of [ACCOUNT, twin]) await rpc('eth_getCode', [account, '0x1']);
    const readSlot = (slot: string) => rpc('eth_getStorageAt', [ACCOUNT, slot, '0x1']);
    await Promise.all(['0x7', '0x8'].map(readSlot));
    await readSlot(hashed);
    asked.length = 0;
    for (const slot of ['0x7', '0x8']) await rpc('eth_getStorageAt', [twin, slot, '0x1']);
    expect(asked).toEqual(['eth_call 0x1']);
  });

  test('a node that has not read many slots in one call -> no slot is read ahead', async () => {
    const { rpc, asked } = node(`0x${word(32)}`);
    const twin = `0x${'b'.repeat(40)}`;
    for (const account of [ACCOUNT, twin]) await rpc('eth_getCode', [account, '0x1']);
    for (const slot of ['0x7', '0x8']) await rpc('eth_getStorageAt', [ACCOUNT, slot, '0x1']);
    asked.length = 0;
    await rpc('eth_getStorageAt', [twin, '0x7', '0x1']);
    expect(asked).toEqual([`eth_getStorageAt ${twin} 0x7 0x1`]);
  });

  test('the same of a node that cannot -> each by itself', async () => {
    const { rpc, asked } = node();
    const read = (slot: number) => rpc('eth_getStorageAt', [ACCOUNT, `0x${slot}`, '0x1']);
    expect(await Promise.all([1, 2, 3, 4].map(read))).toEqual(
      Array(4).fill('eth_getStorageAt 0x1'),
    );
    expect(asked.filter((call) => call.startsWith('eth_call'))).toHaveLength(1);
    await Promise.all([5, 6, 7, 8].map(read));
    expect(asked.filter((call) => call.startsWith('eth_call'))).toHaveLength(1);
  });

  test('carried to another block -> one call reads all of it', async () => {
    const { rpc, carryTo, asked } = node(`0x${word(32)}${word(3)}${word(99)}${word(1)}${word(42)}`);
    await readAll(rpc, '0x1');
    asked.length = 0;
    await carryTo(2);
    await carryTo(2);
    expect(await readAll(rpc, '0x2')).toEqual(['0x63', '0xf0', '0x1', `0x${word(42)}`]);
    expect(asked).toEqual(['eth_call 0x2']);
  });

  test('a plain account, carried to another block -> nothing of it is read again but in bulk', async () => {
    const { rpc, carryTo, asked } = node(`0x${[32, 2, 99, 0].map(word).join('')}`, '0x');
    const read = async (block: string) => [
      await rpc('eth_getBalance', [ACCOUNT, block]),
      await rpc('eth_getCode', [ACCOUNT, block]),
      await rpc('eth_getTransactionCount', [ACCOUNT, block]),
    ];
    await read('0x1');
    asked.length = 0;
    await carryTo(2);
    expect(await read('0x2')).toEqual(['0x63', '0x', '0x1']);
    expect(asked).toEqual(['eth_call 0x2']);
  });

  test.each([
    ['rejects code overrides', undefined],
    ['overlooks it', '0x'],
    ['takes no call as long', new NodeUnreachableError('http://node', 'no', { status: 413 })],
  ])('a node that %s -> asked piece by piece, and not in bulk again', async (_, bulk) => {
    const { rpc, carryTo, asked } = node(bulk);
    await readAll(rpc, '0x1');
    await carryTo(2);
    await carryTo(3);
    expect(asked.filter((call) => call.startsWith('eth_call'))).toHaveLength(1);
    expect(await rpc('eth_getBalance', [ACCOUNT, '0x2'])).toBe('eth_getBalance 0x2');
  });
});
