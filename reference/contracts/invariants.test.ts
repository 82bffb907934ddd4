import fc from 'fast-check';
import {
  type Abi,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  toHex,
  type Address as ViemAddress,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CompiledContract,
  compileContracts,
  readSources,
  UNOPTIMIZED,
} from '../../scripts/compile-contracts.ts';
import { deploymentOf, routerAbi, startTestChain, type TestChain } from './settlement.testing.ts';

/*
 * Whole programs, most of them sound, over pools that lie. Whoever signs one pays
 * no more than `sellAmount` of its first token, no one else pays, and nothing
 * stays in the router.
 */

const USER: ViemAddress = '0x00000000000000000000000000000000000771c7';
const STRANGER: ViemAddress = '0x0000000000000000000000000000000000057a6e';
const WEALTH = 10n ** 15n;
const IS_LONG = process.env['SWAPCHECK_LONG'] === '1';
const RUNS = IS_LONG ? 10_000 : 150;
const ROUTER = 0xfe;
const RECEIVER = 0xff;

/** Of pools: percent given, percent asked for, asked for beyond that, callbacks. */
const HABITS = [
  [100n, 100n, 0n, 1n],
  [0n, 100n, 0n, 1n],
  [100n, 0n, 0n, 1n],
  [50n, 300n, 7n, 1n],
  [0n, 100n, 0n, 2n],
  [0n, 100n, -1n, 0n],
] as const;
/** Of tokens that a pool trades. */
const PAIRS: readonly (readonly [number, number])[] = [
  [0, 1],
  [0, 2],
  [1, 2],
];
const poolOf = (pair: number, habit: number): Hex =>
  `0x${(0xf00d00 + pair * HABITS.length + habit).toString(16).padStart(40, '0')}`;

let chain: TestChain;
/** The first is the wrapped native token. */
let tokens: readonly ViemAddress[];
let contracts: ReturnType<typeof compileContracts>;

beforeAll(async () => {
  contracts = compileContracts(readSources(new URL('./attacks/', import.meta.url)), UNOPTIMIZED);
  chain = await startTestChain();
  const bySymbol = new Map([...chain.market.tokens.values()].map((each) => [each.symbol, each]));
  tokens = ['WETH', 'USDC', 'DAI'].map((symbol) => bySymbol.get(symbol)?.address ?? zeroAddress);
  expect(tokens[0]).toBe(chain.market.wrappedNative);
  const pools = PAIRS.flatMap((_, pair) => HABITS.map((_, habit) => [pair, habit] as const));
  const { abi, bytecode } = contractOf(contracts, 'FakePool');
  for (const [pair, habit] of pools) {
    const args = [...(PAIRS[pair] ?? []).map((at) => tokens[at]), ...(HABITS[habit] ?? [])];
    const code = await chain.rpc('eth_call', [{ data: encodeDeployData({ abi, bytecode, args }) }]);
    await chain.rpc('anvil_setCode', [poolOf(pair, habit), code]);
  }
  for (const token of tokens) {
    for (const holder of [USER, STRANGER, ...pools.map(([pair, habit]) => poolOf(pair, habit))]) {
      await chain.deal(token, holder, WEALTH);
    }
  }
  await chain.rpc('anvil_setBalance', [USER, toHex(10n ** 20n)]);
});

afterAll(() => chain?.node.stop());

function contractOf(compiled: typeof contracts, name: string) {
  return compiled.get(name) as CompiledContract & { readonly abi: Abi };
}

/** The value in one of four cases, else null. */
const sometimes = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, value);

const pool = {
  habit: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat(HABITS.length - 1)),
  isConcentrated: fc.boolean(),
};
const part = fc.bigInt(0n, 9n).map((ninths) => (ninths << 128n) | 9n);
/** A share; below zero a token, whose address stands in its place. */
const share = fc.oneof(fc.constant(0n), part, fc.bigInt(-3n, -1n), fc.bigInt(-3n, -1n));

/** A swap that fits in nowhere, unless by chance. */
const stray = fc.record({
  ...pool,
  tokenIn: fc.oneof(fc.nat(3), fc.nat(255)),
  tokenOut: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3), fc.nat(255)),
  target: fc.oneof(fc.constantFrom(ROUTER, RECEIVER), fc.nat(4)),
  isPaidUpstream: fc.boolean(),
  share,
});
type Swap = typeof stray extends fc.Arbitrary<infer Value> ? Value : never;

/** From a token to the next: one swap, or two that share it. */
const step = fc.record({
  first: fc.record(pool),
  second: sometimes(fc.record(pool)),
  part,
  isDirect: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function pathOf(steps: readonly Step[], sells: boolean): readonly Swap[] {
  const isDirect = ({ first, second, isDirect }: Step) =>
    isDirect && second === null && !(sells && first.isConcentrated);
  let count = 0;
  return steps.flatMap((each, at) => {
    const { first, second, part } = each;
    count += second === null ? 1 : 2;
    const next = steps[at + 1];
    const onward = next && isDirect(next) ? count : ROUTER;
    const hop = {
      tokenIn: at,
      tokenOut: at + 1,
      target: next ? onward : RECEIVER,
      isPaidUpstream: at > 0 && isDirect(each),
    };
    if (second === null) return [{ ...first, ...hop, share: 0n }];
    // With exact output the last swap is the first to take its part.
    const shares = sells ? ([part, 0n] as const) : ([0n, part] as const);
    return [
      { ...first, ...hop, share: shares[0] },
      { ...second, ...hop, share: shares[1] },
    ];
  });
}

const program = fc
  .record({
    sells: fc.boolean(),
    sellAmount: fc.oneof(fc.constantFrom(0n, 1n), {
      weight: 6,
      arbitrary: fc.bigInt(1n, 10n ** 9n),
    }),
    /** Of what is sold. */
    buyPercent: fc.constantFrom(0n, 0n, 1n, 20n, 50n, 90n, 150n),
    isNative: fc.boolean(),
    recipient: fc.constantFrom(zeroAddress, USER, STRANGER, poolOf(0, 0)),
    order: fc.shuffledSubarray([0, 1, 2], { minLength: 2 }),
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
    stray: sometimes(fc.tuple(fc.constantFrom(0, 0, 1, 2, 3), stray)),
    /** More swaps like the last, up to lengths about those that the router counts. */
    length: fc.oneof({ weight: 7, arbitrary: fc.constant(0) }, fc.constantFrom(254, 257)),
    more: fc.array(fc.record({ ...pool, share }), { minLength: 2, maxLength: 3 }),
  })
  .map(({ order, steps, stray: added, length, more, ...given }) => {
    const swaps = [...pathOf(steps, given.sells)];
    const last = swaps.at(-1) as Swap;
    while (swaps.length < length) swaps.push({ ...last, ...more[swaps.length % more.length] });
    if (added !== null) swaps.splice(added[0], 0, added[1]);
    return { ...given, tokens: [...order, ...order].slice(0, steps.length + 1), swaps };
  });
type Program = typeof program extends fc.Arbitrary<infer Value> ? Value : never;

/** Pools give nothing but what they are to give: what anyone else gives to a router is no one's. */
function wordsOf(swap: Swap, ofProgram: readonly number[]) {
  const [tokenIn = 0, tokenOut = 1] = [ofProgram[swap.tokenIn], ofProgram[swap.tokenOut]];
  const pair = PAIRS.findIndex((each) => each.includes(tokenIn) && each.includes(tokenOut));
  const hop =
    BigInt(poolOf(pair, swap.habit)) |
    (BigInt(swap.tokenIn) << 160n) |
    (BigInt(swap.tokenOut) << 168n) |
    (BigInt(swap.target) << 176n) |
    (BigInt(swap.isConcentrated) << 184n) |
    (BigInt(swap.isPaidUpstream) << 185n) |
    (BigInt(PAIRS[pair]?.[1] === tokenOut) << 186n);
  const isToken = swap.share < 0n;
  return { hop, share: isToken ? BigInt(tokens[Number(-1n - swap.share)] ?? 0) : swap.share };
}

/** Returns what each holder gained of each token, then of native; unset where the program reverts. */
async function run(router: ViemAddress, given: Program, holders: readonly ViemAddress[]) {
  const { sells, sellAmount, isNative, recipient } = given;
  const buyAmount = (sellAmount * given.buyPercent) / 100n;
  const unwrap = isNative && given.tokens.at(-1) === 0;
  const value = isNative && given.tokens[0] === 0 ? sellAmount : 0n;
  const input = encodeFunctionData({
    abi: routerAbi,
    functionName: sells ? 'sellExactly' : 'buyExactly',
    args: [
      { sellAmount, buyAmount, recipient, deadline: 1n << 40n, unwrap },
      given.tokens.map((each) => tokens[each]),
      given.swaps.map((each) => wordsOf(each, given.tokens)),
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

/** Runs programs until one takes what it must not, or leaves something in a machine. */
async function fuzz(
  router: ViemAddress,
  spender: ViemAddress,
  machines: readonly ViemAddress[],
  numRuns: number,
) {
  for (const token of tokens) {
    for (const owner of [USER, STRANGER]) await chain.approve(token, owner, spender);
  }
  let settled = 0;
  const property = fc.asyncProperty(program, async (given) => {
    const gains = await run(router, given, [USER, STRANGER, ...machines]);
    if (gains === undefined) return;
    settled += 1;
    const [ofUser = [], ofStranger = [], ...ofMachines] = gains;
    const sold = given.tokens[0];
    const mayPay = given.isNative && sold === 0 ? tokens.length : sold;
    for (const [column, gain] of ofUser.entries()) {
      const most = column === mayPay ? given.sellAmount : 0n;
      expect(-gain, `the user's loss of token ${column}`).toBeLessThanOrEqual(most);
    }
    for (const gain of ofStranger) expect(gain, "the stranger's gain").toBeGreaterThanOrEqual(0n);
    for (const gain of ofMachines.flat()) expect(gain, 'what stays').toBe(0n);
  });
  const details = await fc.check(property, { numRuns, seed: 20, endOnFailure: true });
  return { details, settled };
}

describe.each(['default-router', 'service-router'] as const)('%s', (name) => {
  test(`${RUNS} programs -> the sender pays the sell token up to its limit, no one else pays, nothing stays`, {
    timeout: 1_800_000,
  }, async () => {
    const { address, tokenProxy = address } = deploymentOf(chain.market, name);
    const { details, settled } = await fuzz(address, tokenProxy, [address, tokenProxy], RUNS);
    expect(fc.defaultReportMessage(details) ?? 'held').toBe('held');
    expect(settled).toBeGreaterThan(RUNS / 3);
  });
});

/** File, text, and what stood in its place before the router counted and checked. */
type Patch = readonly [file: string, text: string, before: string];
const UNCHECKED: Patch = [
  'GraphRouter.sol',
  'ProgramLibrary.check(tokens.length, swaps, sells);',
  '',
];
const FAULTS: Readonly<Record<string, readonly Patch[]>> = {
  'what is pulled is not counted': [
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
  test('the same programs -> one takes from the sender what it must not', {
    timeout: 600_000,
  }, async () => {
    const sources = readSources();
    for (const [file, text, before] of patches) {
      expect(sources[file]).toContain(text);
      sources[file] = (sources[file] ?? '').replace(text, () => before);
    }
    const { abi, bytecode } = contractOf(compileContracts(sources), 'DefaultRouter');
    const router = await chain.deploy(abi, bytecode, [chain.market.wrappedNative, zeroAddress]);
    const { details } = await fuzz(router, router, [], 20_000);
    expect(String(details.errorInstance)).toContain("the user's loss");
  });
});
