import { describe, expect, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { WETH } from '../server/small-market.testing.ts';
import { CannotServeMarketError, type MarketSources, openMarkets } from './open-markets.ts';

const { at, write } = useFolder();
const poolsFile = write('pools.json', {
  format: 1,
  chainId: 77,
  name: 'Live',
  usdToken: WETH,
  wrappedNative: WETH,
  pools: [{ family: 'concentrated', address: WETH, source: 'UniswapV3' }],
  routers: [{ name: 'default-router', address: WETH, sources: ['UniswapV3'] }],
});
const NO_NODE = 'http://127.0.0.1:1/secret';

describe('openMarkets', () => {
  test.each<[string, Partial<MarketSources>, string | RegExp]>([
    [
      'a market file that does not exist',
      { marketFiles: [at('absent.json')] },
      /^Cannot read market .*absent\.json: [^\n]+$/,
    ],
    [
      'pools without a node',
      { poolsFiles: [poolsFile] },
      'Chain 77 needs exactly one --pools file and one --rpc node, got 1 and 0',
    ],
    [
      'a node without pools',
      { poolsFiles: [poolsFile], nodes: [77, 5].map((chainId) => ({ chainId, url: NO_NODE })) },
      'Chain 5 needs exactly one --pools file and one --rpc node, got 0 and 1',
    ],
    [
      'a maximum block age for a chain that is not served live',
      {
        poolsFiles: [poolsFile],
        nodes: [{ chainId: 77, url: NO_NODE }],
        maxBlockAges: new Map([[1, 60]]),
      },
      '--max-block-age names chain 1, which is not served live: pass --pools and --rpc for it',
    ],
    [
      'a node that does not respond',
      { poolsFiles: [poolsFile], nodes: [{ chainId: 77, url: NO_NODE }] },
      'Cannot read chain 77 from its node: it cannot be reached',
    ],
  ])('%s -> a one-sentence error without the URL', async (_, sources, message) => {
    const all = {
      marketFiles: [],
      poolsFiles: [],
      nodes: [],
      maxBlockAges: new Map(),
      ...sources,
    };
    const error = await openMarkets(all, new AbortController().signal).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(CannotServeMarketError);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(String(error)).not.toContain('secret');
  });
});
