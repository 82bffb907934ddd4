import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Address, Hash } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnvilNode, startAnvil } from '../../../conformance/execution/anvil.ts';
import { createRpc } from '../../../conformance/execution/json-rpc.ts';
import { isolated } from '../../../conformance/execution/send.ts';
import { createNodeClient } from '../../../reference/market/live/node-client.ts';
import { entryOf } from '../../../reference/market/live/pool-entries.ts';
import { readPools, readTokens } from '../../../reference/market/live/read-chain.ts';
import type { MarketFile } from '../../../reference/market/market-file.ts';
import { tradeOnPairs } from '../../tests/helpers/moving-chain.testing.ts';
import { cachedChainState } from './chain-state.ts';
import { chainSpecs } from './chains.ts';
import { startFixtureChain, UnknownFixtureChainError } from './fixture-chain.ts';
import { type ChainReader, createReader, rpc } from './sender.ts';

const require = createRequire(import.meta.url);
const GET_RESERVES = '0x0902f1ac';

describe.each(chainSpecs)('startFixtureChain($chainId)', ({ chainId }) => {
  const market = require(`#fixtures/markets/${chainId}.json`) as MarketFile;
  const nodes: AnvilNode[] = [];
  let reader: ChainReader;

  beforeAll(async () => {
    nodes.push(await startFixtureChain(chainId));
    reader = createReader(nodes[0]?.url ?? '');
  });
  afterAll(() => Promise.all(nodes.map((node) => node.stop())));

  test('loaded -> the block of the market file, with its hash', async () => {
    const { number, timestamp, hash, gasLimit } = await reader.getBlock();
    expect(market.block).toEqual({ number: Number(number), timestamp: Number(timestamp), hash });
    expect(gasLimit).toBe(30_000_000n);
    expect(await reader.getChainId()).toBe(chainId);
  });

  /** Every twentieth pool. A pool missing from the saved state would have no state. */
  const pools = market.pools.filter((_, index) => index % 20 === 0);

  test('traded on -> every pair has a new price', async () => {
    const rpc = createRpc(nodes[0]?.url ?? '');
    const pairs = market.pools.filter(({ family }) => family === 'constant-product');
    await isolated(rpc, async () => {
      await tradeOnPairs(rpc, chainId);
      for (const pair of pairs) {
        const call = { to: pair.address, data: GET_RESERVES };
        const words = (await rpc<string>('eth_call', [call, 'latest'])).slice(2).match(/.{64}/g);
        const [reserve0, reserve1] = (words ?? []).map((word) => String(BigInt(`0x${word}`)));
        expect(pair).not.toMatchObject({ reserve0, reserve1 });
      }
    });
  });

  test('loaded and forked -> the tokens and pools of the market file, and new blocks can be mined', async () => {
    const fork = await startAnvil({ fork: { url: nodes[0]?.url ?? '' } });
    nodes.push(fork);
    const forked = createReader(fork.url);
    const logos = Object.fromEntries(market.tokens.map((token) => [token.address, token.logoURI]));
    const client = createNodeClient(fork.url);
    const block = blockOf(market);
    expect(await readTokens(client, Object.keys(logos), logos, block)).toEqual(market.tokens);
    const named = { pools: pools.map(entryOf), wrappedNative: market.wrappedNative };
    expect(await readPools(client, named, block)).toEqual(pools);
    await rpc(forked, 'evm_mine');
    const next = await forked.getBlock();
    expect(Number(next.number)).toBe(market.block.number + 1);
    // A fork's clock continues from the forked block, not from today.
    expect(Number(next.timestamp) - market.block.timestamp).toBeLessThan(60);
  });

  test('the first six accounts -> ten thousand native each, no transactions', async () => {
    const accounts = await rpc<Address[]>(reader, 'eth_accounts');
    expect(accounts).toHaveLength(10);
    for (const address of accounts.slice(0, 6)) {
      expect(await reader.getBalance({ address })).toBe(10n ** 22n);
      expect(await reader.getTransactionCount({ address })).toBe(0);
    }
  });
});

test('startFixtureChain of another chain -> UnknownFixtureChainError', async () => {
  await expect(startFixtureChain(1)).rejects.toThrow(UnknownFixtureChainError);
});

test('cachedChainState twice -> one file, written once', async () => {
  for (const spec of chainSpecs) {
    const file = await cachedChainState(spec);
    const { mtimeMs } = statSync(file);
    expect(await cachedChainState(spec)).toBe(file);
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
  }
});

function blockOf({ block: { hash, number, timestamp } }: MarketFile) {
  return { hash: hash as Hash, number: BigInt(number), timestamp: BigInt(timestamp) };
}
