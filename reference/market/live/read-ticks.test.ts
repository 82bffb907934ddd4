import { encodeAbiParameters, keccak256, maxUint256, parseAbiParameters, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnvilNode } from '../../../conformance/execution/node/anvil.ts';
import { startFixtureChain } from '../../../fixtures/chains/fixture-chain.ts';
import { createReader, rpc } from '../../../fixtures/chains/sender.ts';
import { singleton } from '../../planner/pools/singleton.ts';
import { loadEmbeddedMarkets } from '../embedded-markets.ts';
import { createNodeClient } from './node-client.ts';
import type { PoolIdentity } from './pool-identity.ts';
import { createTickReader } from './read-ticks.ts';

const TICKS_PER_WORD = 256;

let anvil: AnvilNode;
beforeAll(async () => {
  anvil = await startFixtureChain(31337);
});
afterAll(() => anvil.stop());

test('more ticks than one call returns, a changed word -> all ticks in order; the node does not resend unchanged ranges', async () => {
  const pool = loadEmbeddedMarkets()[0]?.pools.find(({ family }) => family === 'singleton');
  if (pool?.family !== 'singleton') throw new Error('the market has no singleton pool');
  const identity = { ...pool, isNative: pool.isNative } as unknown as PoolIdentity;
  let bytes = 0;
  const node = createNodeClient(anvil.url, {
    fetch: async (...args) => {
      const text = await (await fetch(...args)).text();
      bytes += text.length;
      return new Response(text);
    },
  });
  const readTicks = createTickReader(node);
  const read = async () => {
    bytes = 0;
    return readTicks(identity, await node.client.getBlock());
  };
  const { bitmapSlot } = singleton.live.ticks?.(pool as never) ?? {};
  const chain = createReader(anvil.url);
  const setWord = async (word: number, bits: bigint) => {
    const key = encodeAbiParameters(parseAbiParameters('int256, uint256'), [
      BigInt(word),
      bitmapSlot ?? 0n,
    ]);
    const value = toHex(bits, { size: 32 });
    await rpc(chain, 'anvil_setStorageAt', [pool.address, keccak256(key), value]);
    await rpc(chain, 'evm_mine');
  };
  const before = (await read()).map(({ index }) => index);
  expect(before).toEqual(pool.ticks.map(({ index }) => index));
  const inOrder = (indices: readonly number[]) => [...before, ...indices].sort((a, b) => a - b);
  const words = [8, 9, 10, 11, 12];
  for (const word of words) await setWord(word, maxUint256);
  const indices = words.flatMap((word) =>
    Array.from(
      { length: TICKS_PER_WORD },
      (_, bit) => (word * TICKS_PER_WORD + bit) * pool.tickSpacing,
    ),
  );
  expect((await read()).map(({ index }) => index)).toEqual(inOrder(indices));
  await read();
  expect(bytes).toBeLessThan(4_000);
  await setWord(12, 1n);
  expect((await read()).map(({ index }) => index)).toEqual(
    inOrder(indices.slice(0, 4 * TICKS_PER_WORD + 1)),
  );
});
