import { type Abi, type Address, concat, parseAbi, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AnvilNode } from '../../../conformance/execution/node/anvil.ts';
import { startFixtureChain } from '../../../fixtures/chains/fixture-chain.ts';
import {
  type ChainReader,
  createReader,
  createSender,
  rpc,
} from '../../../fixtures/chains/sender.ts';
import { serve } from '../../../fixtures/testing/tiny-server.testing.ts';
import { tokensOf } from '../../planner/pools/pool.ts';
import { loadEmbeddedMarkets } from '../embedded-markets.ts';
import type { Market } from '../market.ts';
import { CannotReadChainError, openLiveMarket } from './live-market.ts';
import { entryOf, type PoolsFile, parsePoolsFile } from './pools-file.ts';
import { SimulatedChain } from './simulated-chain.testing.ts';
import { fetchOf, replyAt } from './simulated-node.testing.ts';

const ABI = parseAbi([
  'function deposit() payable',
  'function transfer(address, uint256) returns (bool)',
  'function sync()',
]);
const STRANGER = '0x00000000000000000000000000000000000a11ce';

const frozen = loadEmbeddedMarkets().find(({ chainId }) => chainId === 31338) as Market;

const poolsFile = (change: Partial<PoolsFile> = {}): PoolsFile =>
  parsePoolsFile({
    format: 1,
    chainId: frozen.chainId,
    name: frozen.name,
    usdToken: frozen.usdToken,
    wrappedNative: frozen.wrappedNative,
    pools: frozen.pools.map(entryOf),
    routers: frozen.routers,
    ...change,
  });

let node: AnvilNode;
let reader: ChainReader;

beforeAll(async () => {
  node = await startFixtureChain(frozen.chainId);
  reader = createReader(node.url);
});
afterAll(() => node.stop());

const open = (file: PoolsFile = poolsFile(), url: string = node.url) => openLiveMarket(file, url);

async function send(
  from: Address,
  to: Address,
  functionName: string,
  args: readonly unknown[] = [],
  value = 0n,
): Promise<void> {
  await rpc(reader, 'anvil_setBalance', [from, toHex(10n ** 21n)]);
  await rpc(reader, 'anvil_impersonateAccount', [from]);
  const sender = await createSender(reader, from);
  sender.call(to, ABI as Abi, functionName, args, value);
  await sender.mine();
}

describe('openLiveMarket', () => {
  test('the fixture chain -> a market equal to the market file, to the base unit and the tick', async () => {
    const { market } = await open();
    expect(market.pools).toEqual(frozen.pools);
    expect(market.routers).toEqual(frozen.routers);
    expect(market.block).toEqual(frozen.block);
    expect(market.gasPriceWei).toBe(await reader.getGasPrice());
    for (const [address, token] of market.tokens) {
      expect(token).toEqual({ ...frozen.tokens.get(address), logoURI: expect.any(String) });
      expect(URL.canParse(token.logoURI)).toBe(true);
    }
  });

  test('no pool at an address -> an error with the JSON pointer of the pool', async () => {
    const [first, second] = poolsFile().pools;
    const wrong = {
      family: 'concentrated',
      address: frozen.usdToken,
      source: 'UniswapV3',
    } as const;
    const file = poolsFile({ pools: [first, wrong, second] as PoolsFile['pools'] });
    await expect(open(file)).rejects.toThrow(
      `pools file at '/pools/1/address': must be a concentrated pool of this chain, got "${frozen.usdToken}"`,
    );
  });

  test('a node of another chain, an unreachable node, a node that fails -> an error without the URL', async () => {
    await expect(open(poolsFile({ chainId: 5 }))).rejects.toThrow(
      new CannotReadChainError(5, 'it is a node of chain 31338'),
    );
    await expect(open(poolsFile(), 'http://127.0.0.1:1/a-secret')).rejects.toThrow(
      new CannotReadChainError(31338, 'it cannot be reached'),
    );
    const broken = await serve((_request, response) => response.writeHead(401).end());
    onTestFinished(broken.close);
    await expect(open(poolsFile(), `${broken.url}/a-secret`)).rejects.toThrow(
      new CannotReadChainError(31338, 'it returns HTTP 401'),
    );
  });
});

const decimalsOnly = (decimals: number) =>
  concat([
    '0x5f3560e01c63313ce56714601157', // jumps for decimals()
    '0x5f5ffd5b60', // reverts otherwise
    toHex(decimals, { size: 1 }),
    '0x5f5260205ff3',
  ]);

test.each([
  ['no symbol and no name', 'named after the start of its address', decimalsOnly(18)],
  ['no decimals', 'omitted with its pools', '0x'],
  ['19 decimals', 'omitted with its pools', decimalsOnly(19)],
] as const)('a token with %s -> %s', async (_, outcome, code) => {
  const snapshot = await rpc(reader, 'evm_snapshot');
  const { usdToken, wrappedNative } = frozen;
  const token = [...frozen.tokens.keys()].find(
    (each) => each !== usdToken && each !== wrappedNative,
  ) as Address;
  await rpc(reader, 'anvil_setCode', [token, code]);
  if (outcome.startsWith('named')) {
    const start = token.slice(0, 10);
    const { market } = await open();
    expect(market.pools).toEqual(frozen.pools);
    expect(market.tokens.get(token as never)).toMatchObject({ symbol: start, name: start });
  } else {
    const { market, unusableTokens } = await open(poolsFile({ feeOnTransfer: [token] }));
    expect(market.pools).toEqual(
      frozen.pools.filter((pool) => !tokensOf(pool).includes(token as never)),
    );
    expect(unusableTokens).toEqual([token]);
    expect([...market.tokens.keys()]).not.toContain(token);
    await expect(open(poolsFile({ usdToken: token }))).rejects.toThrow(
      `token at '': must be a token with at most 18 decimals, got "${token}"`,
    );
  }
  await rpc(reader, 'evm_revert', [snapshot]);
});

test('a node without eth_gasPrice -> a market without a gas price', async () => {
  const chain = new SimulatedChain();
  const send = fetchOf((call) =>
    call.method === 'eth_gasPrice'
      ? { error: { code: -32601, message: 'no such method' } }
      : replyAt(chain, call),
  );
  const { market } = await openLiveMarket(chain.file, 'http://node.test', { fetch: send });
  expect(market.gasPriceWei).toBeUndefined();
  expect(market.pools).toEqual(chain.marketAt(chain.head.hash)?.pools);
});

test('changed balances, changed reserves, a reverted chain -> readNext reads each state at its block', async () => {
  const snapshot = await rpc(reader, 'evm_snapshot');
  const pair = frozen.pools.find(
    (pool) => pool.family === 'constant-product' && tokensOf(pool).includes(frozen.wrappedNative),
  );
  const both = frozen.pools.filter((one) => one === pair || one.family === 'concentrated');
  const { market, readNext } = await open(poolsFile({ pools: both.map(entryOf) }));
  expect(market.pools).toEqual(both);
  expect(await readNext()).toBeUndefined();

  const given = 10n ** 18n;
  const pairAddress = pair?.address as Address;
  await send(STRANGER, frozen.wrappedNative, 'deposit', [], given);
  await send(STRANGER, frozen.wrappedNative, 'transfer', [pairAddress, given]);
  const same = await readNext();
  expect(same?.pools).toEqual(both);
  expect(same?.pools.every((pool, i) => pool === market.pools[i])).toBe(true);
  await send(STRANGER, pairAddress, 'sync');
  const expected = both.map((pool) => {
    if (pool !== pair || pool.family !== 'constant-product') return pool;
    return pool.token0 === frozen.wrappedNative
      ? { ...pool, reserve0: pool.reserve0 + given }
      : { ...pool, reserve1: pool.reserve1 + given };
  });
  expect((await readNext())?.pools).toEqual(expected);

  await rpc(reader, 'evm_revert', [snapshot]);
  expect((await readNext())?.pools).toEqual(both);
});
