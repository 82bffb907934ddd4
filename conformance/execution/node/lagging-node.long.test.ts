import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mine } from '../../../fixtures/testing/send.testing.ts';
import { createFakeClock } from '../../client/fake-clock.testing.ts';
import { createRandom } from '../../model/random.ts';
import { openFork } from '../fork/fork.ts';
import { readBlock } from '../fork/source.ts';
import { type AnvilNode, startAnvil } from './anvil.ts';
import { createRpc, quantity, type Rpc } from './json-rpc.ts';
import { type Fault, type NodeCall, startNodeProxy } from './node-proxy.testing.ts';
import { untilEnd } from './until-end.testing.ts';

const chainId = 5252;
const BLOCKS = 4;
const MAX_TESTED_LAG = 3;
const SEEDS = process.env['SWAPCHECK_LONG'] === '1' ? [1, 2, 3, 4, 5, 6, 7, 8] : [1];
const ACCOUNTS = Array.from(
  { length: 4 },
  (_, index) => `0x${String(index + 10).repeat(20)}` as const,
);

let origin: AnvilNode;
let rpc: Rpc;

/** The balance of every account identifies the block. */
beforeAll(async () => {
  origin = await startAnvil({ chainId, timestamp: 1_750_000_000 });
  rpc = createRpc(origin.url);
  for (let block = 1; block <= BLOCKS; block += 1) {
    await mine(rpc);
    for (const account of ACCOUNTS) await rpc('anvil_setBalance', [account, quantity(block)]);
  }
});

afterAll(() => origin.stop());

const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getStorageAt: 2,
};

function lagging(
  { method, params }: NodeCall,
  head: number,
  returnsNull: boolean,
): Fault | undefined {
  if (method === 'eth_blockNumber') return { result: quantity(head) };
  const block = params[BLOCK_AT[method] ?? 1];
  if (typeof block !== 'string' || !method.startsWith('eth_')) return undefined;
  if (block === 'latest')
    return { params: params.map((each) => (each === block ? quantity(head) : each)) };
  if (!(Number(block) > head)) return undefined;
  return returnsNull || method === 'eth_getBlockByNumber'
    ? { result: null }
    : { code: -32000, message: 'header not found' };
}

const startLaggingNodes = (seed: number) => {
  const random = createRandom(seed);
  return untilEnd(
    startNodeProxy(origin.url, (call) => {
      const lag = random() < 1 / 3 ? 1 + Math.floor(random() * MAX_TESTED_LAG) : 0;
      return lag === 0 ? undefined : lagging(call, BLOCKS - lag, random() < 0.5);
    }),
  );
};

describe('several nodes at one URL, some of which lag', () => {
  test.each(SEEDS)(
    'seed %i -> every read is at the forked block, and none is lost',
    async (seed) => {
      const proxy = await startLaggingNodes(seed);
      const on = { blockNumber: BLOCKS, clock: createFakeClock() };
      const fork = await untilEnd(openFork({ chainId, rpcUrl: proxy.url }, on));
      for (const number of [BLOCKS - 1, BLOCKS]) {
        await fork.refresh(number);
        const held = await Promise.all(
          ACCOUNTS.map((account) => fork.rpc<string>('eth_getBalance', [account, 'latest'])),
        );
        expect(held.map(Number)).toEqual(ACCOUNTS.map(() => number));
      }
      expect(fork.losses()).toEqual([]);
    },
  );

  test('a latest block that is older than the previous one -> the fork does not move back', async () => {
    let behind = 0;
    const proxy = await untilEnd(
      startNodeProxy(origin.url, (call) =>
        behind === 0 ? undefined : lagging(call, BLOCKS - behind, true),
      ),
    );
    let now = Date.now();
    const fork = await untilEnd(openFork({ chainId, rpcUrl: proxy.url }, { now: () => now }));
    behind = 2;
    now += 10_000;
    expect(await fork.refresh()).toBe(false);
    expect(fork.block.number).toBe(BLOCKS);
  });

  test('null instead of the latest block -> requested again', async () => {
    let nulls = 2;
    const proxy = await untilEnd(
      startNodeProxy(origin.url, ({ method }) => {
        if (method !== 'eth_getBlockByNumber' || nulls === 0) return undefined;
        nulls -= 1;
        return { result: null };
      }),
    );
    const fork = await untilEnd(
      openFork({ chainId, rpcUrl: proxy.url }, { clock: createFakeClock() }),
    );
    expect(fork.block.number).toBe(BLOCKS);
  });

  test('a block that no node has -> an error at once, without a wait', async () => {
    const proxy = await startLaggingNodes(4);
    await expect(
      openFork({ chainId, rpcUrl: proxy.url }, { blockNumber: 99, clock: createFakeClock() }),
    ).rejects.toThrow(/does not have block 0x63/);
    expect((await readBlock(rpc)).number).toBe(BLOCKS);
  });
});
