import { describe, expect, test } from 'vitest';
import { MarketFileError } from '../planner/domain/market-file-error.ts';
import { sqrtRatioAtTick } from '../planner/pools/tick-math.ts';
import type { MarketFile } from './market-file.ts';
import { parseMarket } from './parse-market.ts';

const tokenA = `0x${'a'.repeat(40)}`;
const tokenB = `0x${'b'.repeat(40)}`;

function marketFile(): MarketFile {
  const token = { name: 'Token', symbol: 'TKN', decimals: 18, logoURI: '' };
  return {
    format: 1,
    chainId: 31337,
    name: 'Test',
    block: { number: 7, timestamp: 1_700_000_000, hash: `0x${'0'.repeat(64)}` },
    usdToken: tokenA,
    wrappedNative: tokenB,
    tokens: [
      { ...token, address: tokenA },
      { ...token, address: tokenB },
    ],
    pools: [
      {
        family: 'constant-product',
        address: `0x${'1'.repeat(40)}`,
        source: 'UniswapV2',
        token0: tokenA,
        token1: tokenB,
        feePips: 3000,
        reserve0: '5192296858534827628530496329220095',
        reserve1: '1',
      },
      {
        family: 'concentrated',
        address: `0x${'2'.repeat(40)}`,
        source: 'UniswapV3',
        token0: tokenA,
        token1: tokenB,
        feePips: 500,
        tickSpacing: 10,
        sqrtPriceX96: `${2n ** 96n}`,
        tick: 0,
        liquidity: '3',
        ticks: [
          { index: -20, liquidityGross: '3', liquidityNet: '3' },
          { index: 10, liquidityGross: '3', liquidityNet: '-3' },
        ],
      },
    ],
    routers: [{ name: 'universal-router', address: `0x${'3'.repeat(40)}`, sources: ['UniswapV2'] }],
  };
}

function withValue(path: string, value: unknown): unknown {
  const file = marketFile();
  const keys = path.split('/').slice(1);
  const last = keys.pop() as string;
  // biome-ignore lint/suspicious/noExplicitAny: walks any JSON
  const parent = keys.reduce((node: any, key) => node[key], file);
  parent[last] = value;
  return file;
}

describe('parseMarket', () => {
  test('a valid file -> amounts as bigint, tokens by address', () => {
    const market = parseMarket(marketFile());
    expect(market).toMatchObject({
      chainId: 31337,
      name: 'Test',
      block: { number: 7, timestamp: 1_700_000_000, hash: `0x${'0'.repeat(64)}` },
      usdToken: tokenA,
      wrappedNative: tokenB,
      routers: [{ name: 'universal-router', sources: ['UniswapV2'] }],
    });
    expect([...market.tokens.keys()]).toEqual([tokenA, tokenB]);
    expect(market.pools[0]).toMatchObject({ reserve0: 2n ** 112n - 1n, reserve1: 1n });
    expect(market.pools[1]).toMatchObject({
      sqrtPriceX96: 2n ** 96n,
      liquidity: 3n,
      ticks: [
        { index: -20, liquidityGross: 3n, liquidityNet: 3n },
        { index: 10, liquidityGross: 3n, liquidityNet: -3n },
      ],
    });
  });

  test('a price that has just fallen to a tick -> the tick below is accepted', () => {
    const onTick = withValue('/pools/1/sqrtPriceX96', `${sqrtRatioAtTick(-20)}`) as MarketFile;
    Object.assign(onTick.pools[1] as object, { tick: -21, liquidity: '0' });
    expect(parseMarket(onTick).pools[1]).toMatchObject({ tick: -21, liquidity: 0n });
  });

  test.each([
    ['/format', 2, '/format', 'must be equal to constant: 1, got 2'],
    ['/chainId', 0, '/chainId', 'must be >= 1, got 0'],
    ['/gasPriceWei', '1.5', '/gasPriceWei', 'must match pattern'],
    ['/gasPriceWei', `${10n ** 21n + 1n}`, '/gasPriceWei', `must be at most ${10n ** 21n}`],
    ['/extra', 1, '', 'must NOT have additional properties: "extra"'],
    ['/usdToken', `0x${'c'.repeat(40)}`, '/usdToken', 'must be the address of a token'],
    ['/wrappedNative', `0x${'c'.repeat(40)}`, '/wrappedNative', 'must be the address of a token'],
    [
      '/feeOnTransfer',
      [`0x${'c'.repeat(40)}`],
      '/feeOnTransfer/0',
      'must be the address of a token',
    ],
    ['/tokens/1/address', tokenA, '/tokens/1/address', 'must not be used before'],
    ['/tokens/1/address', tokenA.toUpperCase(), '/tokens/1/address', 'must match pattern'],
    ['/tokens/0/decimals', 19, '/tokens/0/decimals', 'must be <= 18, got 19'],
    ['/pools/0/family', 'curve', '/pools/0', 'value of tag "family" must be in oneOf'],
    ['/pools/0/reserve1', '01', '/pools/0/reserve1', 'got "01"'],
    [
      '/pools/0/reserve0',
      `${2n ** 112n}`,
      '/pools/0/reserve0',
      `must be at most ${2n ** 112n - 1n}`,
    ],
    ['/pools/0/token1', tokenA, '/pools/0/token1', `must be above ${tokenA}`],
    ['/pools/0/token0', `0x${'0'.repeat(40)}`, '/pools/0/token0', 'must be the address of a token'],
    ['/pools/1/address', `0x${'1'.repeat(40)}`, '/pools/1/address', 'must not be used before'],
    ['/pools/1/sqrtPriceX96', '0', '/pools/1/sqrtPriceX96', 'must be at least 4295128739'],
    ['/pools/1/tick', 1, '/pools/1/tick', 'must be 0, the tick of sqrtPriceX96, got 1'],
    ['/pools/1/liquidity', '4', '/pools/1/liquidity', 'must be 3, the liquidityNet up to the tick'],
    ['/pools/1/ticks/0/index', -15, '/pools/1/ticks/0/index', 'must be a multiple of 10, got -15'],
    ['/pools/1/ticks/1/index', -20, '/pools/1/ticks/1/index', 'must be above -20, got -20'],
    [
      '/pools/1/ticks/1/liquidityNet',
      '-4',
      '/pools/1/ticks/1/liquidityNet',
      'must not make liquidity negative, got -4',
    ],
    [
      '/pools/1/ticks/1/liquidityNet',
      '-2',
      '/pools/1/ticks',
      'must sum to a liquidityNet of 0, got 1',
    ],
    ['/routers/0/name', 'Universal-Router', '/routers/0/name', 'allowed values: ["service-router"'],
  ])('%s = %j -> MarketFileError at %j', (path, value, pointer, words) => {
    const parse = () => parseMarket(withValue(path, value));
    expect(parse).toThrow(MarketFileError);
    expect(parse).toThrow(words);
    expect(parse).toThrow(expect.objectContaining({ pointer }));
  });

  test.each([null, [], 'market'])('%j -> MarketFileError', (json) => {
    expect(() => parseMarket(json)).toThrow("market file at '': must be object");
  });
});
