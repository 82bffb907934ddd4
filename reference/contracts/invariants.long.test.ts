import fc from 'fast-check';
import {
  type Abi,
  concatHex,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  toHex,
  type Address as ViemAddress,
  zeroAddress,
} from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CompiledContract,
  compileContracts,
  readSources,
  UNOPTIMIZED,
} from '../../scripts/build/compile-contracts.ts';
import { ANYONE } from '../makers/maker.ts';
import { signOrder } from '../makers/sign-order.ts';
import { parseAddress } from '../planner/domain/address.ts';
import { type MakerOrder, makerOrder, poolOf as orderPool } from '../planner/pools/maker-order.ts';
import { MANAGER, openManagerPool } from './manager-pools.testing.ts';
import {
  BEHAVIORS,
  fakePoolAddress,
  MANAGER_FEE,
  MANAGER_SPACING,
  PAIRS,
  type Program,
  program,
  quoteNumber,
  STRANGER,
  USER,
  wordsOf,
} from './programs.testing.ts';
import { addressOf, deploymentOf, GRAPH_ROUTERS } from './settlement.testing.ts';
import { routerAbi, startTestChain, type TestChain } from './test-chain.testing.ts';

/*
 * Runs random programs, most of them valid, through dishonest pools, through pools of Uniswap V4's
 * manager, and through market makers' orders. Invariants: only the sender pays, only in the first
 * token, and at most `sellAmount`. The router sells the whole payment, buys at least the limit, and
 * retains nothing.
 */

const MAKER_KEY = `0x${'a5'.repeat(32)}` as const;
const MAKER = parseAddress(privateKeyToAddress(MAKER_KEY));
const WEALTH = 10n ** 15n;
const IS_LONG = process.env['SWAPCHECK_LONG'] === '1';
const RUNS = IS_LONG ? 10_000 : 150;
let chain: TestChain;
let tokens: readonly ViemAddress[];
let quotes: readonly Hex[];
let contracts: ReturnType<typeof compileContracts>;

beforeAll(async () => {
  contracts = compileContracts(readSources(new URL('attacks/', import.meta.url)), UNOPTIMIZED);
  chain = await startTestChain();
  tokens = ['WETH', 'USDC', 'DAI'].map((symbol) => addressOf(chain.market, symbol));
  expect(tokens[0]).toBe(chain.market.wrappedNative);
  const pools = PAIRS.flatMap((_, pair) =>
    BEHAVIORS.map((_, behavior) => [pair, behavior] as const),
  );
  const { abi, bytecode } = contractOf(contracts, 'FakePool');
  for (const [pair, behavior] of pools) {
    const args = [...(PAIRS[pair] ?? []).map((at) => tokens[at]), ...(BEHAVIORS[behavior] ?? [])];
    const code = await chain.rpc('eth_call', [{ data: encodeDeployData({ abi, bytecode, args }) }]);
    await chain.rpc('anvil_setCode', [fakePoolAddress(pair, behavior), code]);
  }
  for (const token of tokens) {
    for (const holder of [
      USER,
      STRANGER,
      MAKER,
      ...pools.map(([pair, behavior]) => fakePoolAddress(pair, behavior)),
    ]) {
      await chain.deal(token, holder, WEALTH);
    }
  }
  await chain.rpc('anvil_setBalance', [USER, toHex(10n ** 20n)]);
  await openManagerPools();
  quotes = await signQuotes();
});

async function openManagerPools(): Promise<void> {
  const { deployer, modifyLiquidity } = MANAGER;
  await chain.rpc('anvil_setBalance', [deployer, toHex(10n ** 20n)]);
  for (const token of tokens) {
    await chain.deal(token, deployer, 10n * WEALTH);
    await chain.approve(token, deployer, modifyLiquidity);
  }
  const [, ...others] = tokens;
  const pairs = PAIRS.map(([a, b]) => [tokens[a], tokens[b]] as [ViemAddress, ViemAddress]);
  const ofNative = others.map((token) => [zeroAddress, token] as [ViemAddress, ViemAddress]);
  const kind = { fee: MANAGER_FEE, tickSpacing: MANAGER_SPACING };
  for (const pair of [...pairs, ...ofNative]) await openManagerPool(chain, pair, kind, WEALTH);
}

/** Returns valid orders, then tampered orders with larger amounts than the maker signed. */
async function signQuotes(): Promise<readonly Hex[]> {
  const makerOrders = parseAddress(chain.market.makerOrders ?? '');
  const signed: Hex[] = [];
  for (const isTampered of [false, true]) {
    for (const [at, takerToken] of tokens.entries()) {
      for (const [to, makerToken] of tokens.entries()) {
        const parties = { maker: MAKER, taker: ANYONE, salt: 0n, expiry: 1n << 40n };
        const amounts = { makerAmount: 10n ** 12n, takerAmount: 10n ** 12n };
        const pair = { makerToken: parseAddress(makerToken), takerToken: parseAddress(takerToken) };
        const order: MakerOrder = { ...parties, ...amounts, ...pair };
        const signature = await signOrder({ chainId: 31337, makerOrders }, order, MAKER_KEY);
        const handed = isTampered ? { ...order, makerAmount: 2n * order.makerAmount } : order;
        const words = makerOrder.graphRouter.quote(orderPool(makerOrders, handed, signature));
        signed[quoteNumber(at, to, isTampered) - 1] = concatHex(
          words.map((word) => toHex(word, { size: 32 })),
        );
      }
    }
  }
  for (const token of tokens) await chain.approve(token, MAKER, makerOrders);
  return signed;
}

afterAll(() => chain?.node.stop());

function contractOf(compiled: typeof contracts, name: string) {
  return compiled.get(name) as CompiledContract & { readonly abi: Abi };
}

/**
 * Returns each holder's gain in each token, then in the native token; undefined if the program
 * reverts.
 */
async function run(router: ViemAddress, given: Program, holders: readonly ViemAddress[]) {
  const { sells, sellAmount, isNative, recipient } = given;
  const buyAmount = (sellAmount * given.buyPercent) / 100n;
  const unwrap = isNative && given.tokens.at(-1) === 0;
  const value = isNative && given.tokens[0] === 0 ? sellAmount : 0n;
  const surroundings = { tokens, makerOrders: chain.market.makerOrders ?? zeroAddress };
  const withQuotes = given.swaps.some(({ kind }) => kind === 'order');
  const input = encodeFunctionData({
    abi: routerAbi,
    functionName: `${sells ? 'sell' : 'buy'}${withQuotes ? 'WithQuotes' : 'Exactly'}`,
    args: [
      { sellAmount, buyAmount, recipient, deadline: 1n << 40n, unwrap },
      given.tokens.map((each) => tokens[each]),
      given.swaps.map((each) => wordsOf(each, given.tokens, surroundings)),
      ...(withQuotes ? [quotes] : []),
    ],
  });
  const { abi, deployedBytecode: code } = contractOf(contracts, 'Witness');
  const watch = { abi, functionName: 'watch' };
  const call = encodeFunctionData({ ...watch, args: [router, input, value, tokens, holders] });
  const data = await chain.rpc<Hex>('eth_call', [
    { from: STRANGER, to: USER, data: call, gas: toHex(100_000_000) },
    'latest',
    { [USER]: { code } },
  ]);
  const [done, gains] = decodeFunctionResult({ ...watch, data }) as [boolean, readonly bigint[]];
  const width = tokens.length + 1;
  return done ? holders.map((_, at) => gains.slice(at * width, (at + 1) * width)) : undefined;
}

async function fuzz(
  router: ViemAddress,
  spender: ViemAddress,
  routerAndProxy: readonly ViemAddress[],
  numRuns: number,
) {
  for (const token of tokens) {
    for (const owner of [USER, STRANGER]) await chain.approve(token, owner, spender);
  }
  let settled = 0;
  const kinds = new Set<string>();
  const property = fc.asyncProperty(program, async (given) => {
    const gains = await run(router, given, [USER, STRANGER, MAKER, ...routerAndProxy]);
    if (gains === undefined) return;
    settled += 1;
    for (const { kind } of given.swaps) kinds.add(kind);
    const [ofUser = [], ofStranger = [], ofMaker = [], ...ofRouter] = gains;
    const sold = given.tokens[0] as number;
    const mayPay = given.isNative && sold === 0 ? tokens.length : sold;
    for (const [column, gain] of ofUser.entries()) {
      const maxLoss = column === mayPay ? given.sellAmount : 0n;
      expect(-gain, `the user's loss of token ${column}`).toBeLessThanOrEqual(maxLoss);
    }
    for (const gain of ofStranger) expect(gain, "the stranger's gain").toBeGreaterThanOrEqual(0n);
    const bought = given.tokens.at(-1) as number;
    if (bought !== sold) {
      if (given.sells) expect(-(ofUser[mayPay] ?? 0n), 'amount sold').toBe(given.sellAmount);
      const column = given.isNative && bought === 0 ? tokens.length : bought;
      const gain = gainsOfRecipient(given, ofUser, ofStranger)?.[column];
      const minGain = (given.sellAmount * given.buyPercent) / 100n;
      if (gain !== undefined) expect(gain, 'amount bought').toBeGreaterThanOrEqual(minGain);
    }
    // Every order has a price of one.
    const ofOrders = ofMaker.reduce((sum, gain) => sum + gain, 0n);
    expect(ofOrders, "the maker's gain").toBeGreaterThanOrEqual(0n);
    for (const gain of ofRouter.flat()) expect(gain, 'left in the router').toBe(0n);
  });
  const details = await fc.check(property, { numRuns, seed: 20, endOnFailure: true });
  return { details, settled, kinds };
}

function gainsOfRecipient<Gains>({ recipient }: Program, ofUser: Gains, ofStranger: Gains) {
  if (recipient === STRANGER) return ofStranger;
  return recipient === USER || recipient === zeroAddress ? ofUser : undefined;
}

describe.each(GRAPH_ROUTERS)('%s', (name) => {
  test(`${RUNS} programs -> the sender pays the sell token up to its limit, nobody else pays, and the router retains nothing`, {
    timeout: 1_800_000,
  }, async () => {
    const { address, tokenProxy = address } = deploymentOf(chain.market, name);
    const { details, settled, kinds } = await fuzz(
      address,
      tokenProxy,
      [address, tokenProxy],
      RUNS,
    );
    expect(fc.defaultReportMessage(details) ?? 'held').toBe('held');
    expect(settled).toBeGreaterThan(RUNS / 3);
    expect([...kinds].sort()).toEqual(['concentrated', 'manager', 'native', 'order', 'pair']);
  });
});

type Patch = readonly [file: string, text: string, before: string];
const UNCHECKED: Patch = [
  'GraphRouter.sol',
  'ProgramLibrary.check(tokens.length, swaps, sells);',
  '',
];
const FAULTS: Readonly<Record<string, readonly Patch[]>> = {
  'pulled amounts are not counted': [
    UNCHECKED,
    ['GraphRouter.sol', 'if (amount > unsold) revert TooMuchSold(amount, unsold);', ''],
    ['GraphRouter.sol', 'unsold - amount;', 'unsold < amount ? 0 : unsold - amount;'],
  ],
  'lengths are not bounded': [
    UNCHECKED,
    ['GraphRouter.sol', '_pull(_sellToken,', '_pull(Demand.token(0),'],
    ['Demand.sol', '_set(AMOUNTS, 0);', '_set(AMOUNTS, 0); _set(TOKENS, uint160(tokens[0]));'],
  ],
};

describe.runIf(IS_LONG).each(Object.entries(FAULTS))('%s', (_, patches) => {
  test('the same programs -> one of them takes too much from the sender', {
    timeout: 600_000,
  }, async () => {
    const sources = readSources();
    for (const [file, text, before] of patches) {
      expect(sources[file]).toContain(text);
      sources[file] = (sources[file] ?? '').replace(text, () => before);
    }
    const { abi, bytecode } = contractOf(compileContracts(sources), 'DefaultRouter');
    const router = await chain.deploy(abi, bytecode, [
      chain.market.wrappedNative,
      zeroAddress,
      zeroAddress,
    ]);
    const { details } = await fuzz(router, router, [], 20_000);
    expect(String(details.errorInstance)).toContain("the user's loss");
  });
});
