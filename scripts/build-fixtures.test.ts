import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Address, encodeAbiParameters, type Hex, parseAbi, parseAbiParameters } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MarketFile } from '../reference/market/market-file.ts';
import type { FilePool } from '../reference/pools/families.ts';
import { type BuiltChain, buildChain, contractsFile, marketFile } from './fixtures/build-chain.ts';
import { chainSpecs } from './fixtures/chains.ts';
import { type ChainReader, createReader, readFrom } from './fixtures/sender.ts';

/*
 * The reading here is on its own: its own interfaces, one call a field, and the
 * whole bitmap of every pool, so that a fault of the build's reading shows.
 */
const token = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
]);
const either = parseAbi([
  'function factory() view returns (address)',
  'function token0() view returns (address)',
  'function token1() view returns (address)',
]);
const pair = parseAbi(['function getReserves() view returns (uint112, uint112, uint32)']);
const concentrated = parseAbi([
  'function fee() view returns (uint24)',
  'function tickSpacing() view returns (int24)',
  'function liquidity() view returns (uint128)',
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
  'function ticks(int24) view returns (uint128, int128, uint256, uint256, int56, uint160, uint32, bool)',
]);
const v2Factory = parseAbi(['function allPairsLength() view returns (uint256)']);

const require = createRequire(import.meta.url);
const textOf = (name: string): string =>
  readFileSync(require.resolve(`#fixtures/markets/${name}.json`), 'utf8');
const rebuild = 'the chain and the committed file differ: npm run build:fixtures';

describe.each(chainSpecs)('chain $chainId', (spec) => {
  const committed = JSON.parse(textOf(String(spec.chainId))) as MarketFile;
  const named = JSON.parse(textOf(`${spec.chainId}.contracts`)) as BuiltChain['contracts'];
  let chain: BuiltChain;
  let reader: ChainReader;

  beforeAll(async () => {
    chain = await buildChain(spec);
    reader = createReader(chain.node.url);
  });
  afterAll(() => chain?.node.stop());

  test('built again -> the committed bytes', () => {
    expect(marketFile(chain), rebuild).toBe(textOf(String(spec.chainId)));
    expect(contractsFile(chain), rebuild).toBe(textOf(`${spec.chainId}.contracts`));
  });

  test('block and chain -> what the node says', async () => {
    const block = await reader.getBlock();
    expect(committed.chainId).toBe(await reader.getChainId());
    expect(committed.block).toEqual({
      number: Number(block.number),
      timestamp: Number(block.timestamp),
      hash: block.hash,
    });
  });

  test('every token -> its metadata', async () => {
    for (const { address, name, symbol, decimals } of committed.tokens) {
      expect([name, symbol, decimals]).toEqual([
        await readFrom(reader, address, token, 'name'),
        await readFrom(reader, address, token, 'symbol'),
        await readFrom(reader, address, token, 'decimals'),
      ]);
    }
  });

  test('every pool -> its factory, tokens and fee', async () => {
    const factories: Record<string, string> = { ...named.v2Factories, UniswapV3: named.v3Factory };
    const own = [...poolsOf(committed, 'constant-product'), ...poolsOf(committed, 'concentrated')];
    for (const pool of own) {
      const [factory, token0, token1] = (await Promise.all(
        (['factory', 'token0', 'token1'] as const).map((field) =>
          readFrom(reader, pool.address, either, field),
        ),
      )) as [string, string, string];
      expect(factory.toLowerCase()).toBe(factories[pool.source]);
      expect([token0.toLowerCase(), token1.toLowerCase()]).toEqual([pool.token0, pool.token1]);
    }
  });

  test('constant-product pools -> all that the factories have, with their reserves', async () => {
    const pairs = poolsOf(committed, 'constant-product');
    const lengths = await Promise.all(
      Object.values(named.v2Factories).map((factory) =>
        readFrom(reader, factory, v2Factory, 'allPairsLength'),
      ),
    );
    expect(lengths.reduce<number>((sum, length) => sum + Number(length), 0)).toBe(pairs.length);
    for (const { address, reserve0, reserve1, feePips } of pairs) {
      const reserves = (await readFrom(reader, address, pair, 'getReserves')) as [bigint, bigint];
      expect([reserve0, reserve1]).toEqual([String(reserves[0]), String(reserves[1])]);
      expect(feePips).toBe(3000);
    }
  });

  test('concentrated pools -> price, liquidity, spacing and fee', async () => {
    for (const pool of poolsOf(committed, 'concentrated')) {
      const [fee, spacing, liquidity, slot0] = (await Promise.all(
        (['fee', 'tickSpacing', 'liquidity', 'slot0'] as const).map((field) =>
          readFrom(reader, pool.address, concentrated, field),
        ),
      )) as [number, number, bigint, [bigint, number]];
      expect([pool.feePips, pool.tickSpacing, pool.liquidity]).toEqual([
        fee,
        spacing,
        String(liquidity),
      ]);
      expect([pool.sqrtPriceX96, pool.tick]).toEqual([String(slot0[0]), slot0[1]]);
    }
  });

  test('concentrated pools -> every tick of the whole bitmap, with its liquidity', async () => {
    for (const pool of poolsOf(committed, 'concentrated')) {
      expect(pool.ticks.map(({ index }) => index)).toEqual(await initialisedTicks(reader, pool));
      const states = (await Promise.all(
        pool.ticks.map(({ index }) =>
          readFrom(reader, pool.address, concentrated, 'ticks', [index]),
        ),
      )) as [bigint, bigint][];
      expect(pool.ticks.map((tick) => [tick.liquidityGross, tick.liquidityNet])).toEqual(
        states.map(([gross, net]) => [String(gross), String(net)]),
      );
    }
  });

  test('routers, proxies and the other contracts -> code is there', async () => {
    const {
      v2Factories,
      deployer: _account,
      chainId: _id,
      ...others
    } = {
      chainId: 0,
      ...named,
    };
    const addresses = [
      ...committed.routers.flatMap(({ address, tokenProxy }) => [address, tokenProxy ?? address]),
      ...Object.values(v2Factories),
      ...Object.values(others),
    ] as Address[];
    for (const address of addresses) {
      expect((await reader.getCode({ address }))?.length, address).toBeGreaterThan(2);
    }
    expect(named.permit2).toBe('0x000000000022d473030f116ddee9f6b43ac78ba3');
    expect(committed.wrappedNative).toBe(named.wrappedNative);
  });
});

function poolsOf<Family extends FilePool['family']>(
  market: MarketFile,
  family: Family,
): Extract<FilePool, { family: Family }>[] {
  return market.pools.filter(
    (pool): pool is Extract<FilePool, { family: Family }> => pool.family === family,
  );
}

/**
 * Runtime code that calls `tickBitmap` for `count` words from `first` and returns
 * them all: thousands of reads in one call. Calldata: pool, first, count.
 */
const BITMAP_READER: Hex = `0x${[
  '635339c29660e01b600052', // mem[0] = selector of tickBitmap(int16)
  '6000', // i = 0
  '5b6040358110', // loop at 0x0d: i < count
  '15603857', // else go to the end
  '8060203501600452', // mem[4] = first + i
  '60208160051b604001', // 32 bytes of result to mem[64 + 32 * i]
  '60246000600035', // 36 bytes of arguments from mem[0], to the pool
  '5afa50', // staticcall
  '600101600d56', // i += 1; loop
  '5b60051b6040f3', // end at 0x38: return the results
].join('')}`;
const BITMAP_READER_ADDRESS = '0x00000000000000000000000000000000b17b17b1';
const WORDS_A_CALL = 2_000;

/** Reads every word of a pool's bitmap: of 6,932, with a spacing of one tick. */
async function initialisedTicks(
  reader: ChainReader,
  { address, tickSpacing }: { address: string; tickSpacing: number },
): Promise<number[]> {
  const first = Math.floor(Math.ceil(-887_272 / tickSpacing) / 256);
  const last = Math.floor(Math.floor(887_272 / tickSpacing) / 256);
  const ticks: number[] = [];
  for (let start = first; start <= last; start += WORDS_A_CALL) {
    const count = Math.min(WORDS_A_CALL, last - start + 1);
    const { data = '0x' } = await reader.call({
      to: BITMAP_READER_ADDRESS,
      data: encodeAbiParameters(parseAbiParameters('address, int256, uint256'), [
        address as Address,
        BigInt(start),
        BigInt(count),
      ]),
      stateOverride: [{ address: BITMAP_READER_ADDRESS, code: BITMAP_READER }],
    });
    expect(data).toHaveLength(2 + 64 * count);
    for (let word = 0; word < count; word += 1) {
      const bits = BigInt(`0x${data.slice(2 + 64 * word, 66 + 64 * word)}`);
      for (let bit = 0; bits >> BigInt(bit) > 0n; bit += 1) {
        if (((bits >> BigInt(bit)) & 1n) === 1n) {
          ticks.push(((start + word) * 256 + bit) * tickSpacing);
        }
      }
    }
  }
  return ticks;
}
