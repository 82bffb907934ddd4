import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Address, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MarketFile } from '../reference/market/market-file.ts';
import type { FilePool } from '../reference/pools/families.ts';
import { type BuiltChain, buildChain, contractsFile, marketFile } from './fixtures/build-chain.ts';
import { chainSpecs } from './fixtures/chains.ts';
import { type ChainReader, createReader, readFrom } from './fixtures/sender.ts';

/*
 * The reading here is on its own: its own interfaces, one call a field, so that
 * a fault of the build's reading shows. What concentrated pools hold shows in
 * `pools/chain.test.ts`: the real quoter walks through every tick of them.
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
