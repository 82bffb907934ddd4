import fc from 'fast-check';
import { type Hex, type Address as ViemAddress, zeroAddress } from 'viem';

/** `USER` sends the programs. `STRANGER` has also approved the router. */
export const USER: ViemAddress = '0x00000000000000000000000000000000000771c7';
export const STRANGER: ViemAddress = '0x0000000000000000000000000000000000057a6e';

const ROUTER = 0xfe;
const RECEIVER = 0xff;

/**
 * Arguments of `FakePool`: percent paid out, percent charged, additional amount charged, number of
 * callbacks.
 */
export const BEHAVIORS = [
  [100n, 100n, 0n, 1n],
  [0n, 100n, 0n, 1n],
  [100n, 0n, 0n, 1n],
  [50n, 300n, 7n, 1n],
  [0n, 100n, 0n, 2n],
  [0n, 100n, -1n, 0n],
] as const;
/** Tokens of a pool, by index. */
export const PAIRS: readonly (readonly [number, number])[] = [
  [0, 1],
  [0, 2],
  [1, 2],
];
export const fakePoolAddress = (pair: number, behavior: number): Hex =>
  `0x${(0xf00d00 + pair * BEHAVIORS.length + behavior).toString(16).padStart(40, '0')}`;

/** Null in three out of four cases. */
const sometimes = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, value);

/**
 * Pairs and concentrated pools may be dishonest. The manager has pools with and without the native
 * token.
 */
const KINDS = ['pair', 'concentrated', 'manager', 'native', 'order'] as const;
type Kind = (typeof KINDS)[number];

const pool = {
  behavior: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat(BEHAVIORS.length - 1)),
  kind: fc.constantFrom('pair', 'concentrated', ...KINDS),
};
const part = fc.bigInt(0n, 9n).map((ninths) => (ninths << 128n) | 9n);
/** A negative share is the index of a token whose address is used instead. */
const share = fc.oneof(fc.constant(0n), part, fc.bigInt(-3n, -1n), fc.bigInt(-3n, -1n));

const isCalledBack = (kind: Kind) => kind === 'concentrated' || kind === 'order';

const stray = fc.record({
  ...pool,
  tokenIn: fc.oneof(fc.nat(3), fc.nat(255)),
  tokenOut: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3), fc.nat(255)),
  target: fc.oneof(fc.constantFrom(ROUTER, RECEIVER), fc.nat(4)),
  isPaidUpstream: fc.boolean(),
  share,
});
type Swap = typeof stray extends fc.Arbitrary<infer Value> ? Value : never;

const step = fc.record({
  first: fc.record(pool),
  second: sometimes(fc.record(pool)),
  part,
  isDirect: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function pathOf(steps: readonly Step[], sells: boolean): readonly Swap[] {
  const isDirect = ({ first, second, isDirect }: Step) =>
    isDirect && second === null && (first.kind === 'pair' || (!sells && isCalledBack(first.kind)));
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
    // With exact output, the last swap takes its part first.
    const shares = sells ? ([part, 0n] as const) : ([0n, part] as const);
    return [
      { ...first, ...hop, share: shares[0] },
      { ...second, ...hop, share: shares[1] },
    ];
  });
}

export const program = fc
  .record({
    sells: fc.boolean(),
    sellAmount: fc.oneof(fc.constantFrom(0n, 1n), {
      // The manager rejects swaps of zero.
      weight: 14,
      arbitrary: fc.bigInt(1n, 10n ** 9n),
    }),
    /** Minimum output as a percentage of `sellAmount`. */
    buyPercent: fc.constantFrom(0n, 0n, 0n, 1n, 20n, 50n, 90n, 150n),
    isNative: fc.boolean(),
    recipient: fc.constantFrom(zeroAddress, USER, STRANGER, fakePoolAddress(0, 0)),
    order: fc.shuffledSubarray([0, 1, 2], { minLength: 2 }),
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
    stray: sometimes(fc.tuple(fc.constantFrom(0, 0, 1, 2, 3), stray)),
    /** A number of swaps near the router's maximum. Copies of the last swap pad the program. */
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
export type Program = typeof program extends fc.Arbitrary<infer Value> ? Value : never;

type Surroundings = {
  readonly tokens: readonly ViemAddress[];
  readonly makerOrders: ViemAddress;
};

/** Key of the manager's pools, with and without the native token instead of the first token. */
export const MANAGER_FEE = 2_999;
export const MANAGER_SPACING = 59;

/** Returns the number of the order for two tokens. Tampered orders follow the valid orders. */
export function quoteNumber(tokenIn: number, tokenOut: number, isTampered: boolean): number {
  return 1 + 3 * tokenIn + tokenOut + (isTampered ? 9 : 0);
}

/** Returns the two words of a swap. */
export function wordsOf(
  swap: Swap,
  ofProgram: readonly number[],
  { tokens, makerOrders }: Surroundings,
) {
  const [tokenIn = 0, tokenOut = 1] = [ofProgram[swap.tokenIn], ofProgram[swap.tokenOut]];
  const pair = PAIRS.findIndex((each) => each.includes(tokenIn) && each.includes(tokenOut));
  const ofManager =
    (1n << 188n) | (BigInt(MANAGER_FEE) << 192n) | (BigInt(MANAGER_SPACING) << 216n);
  const ofKind: Record<Kind, bigint> = {
    pair: BigInt(fakePoolAddress(pair, swap.behavior)),
    concentrated: BigInt(fakePoolAddress(pair, swap.behavior)) | (1n << 184n),
    manager: ofManager,
    native: ofManager | (1n << 189n),
    order:
      BigInt(makerOrders) |
      (1n << 184n) |
      (BigInt(quoteNumber(tokenIn, tokenOut, swap.behavior > 0)) << 192n),
  };
  const hop =
    ofKind[swap.kind] |
    (BigInt(swap.tokenIn) << 160n) |
    (BigInt(swap.tokenOut) << 168n) |
    (BigInt(swap.target) << 176n) |
    (BigInt(swap.isPaidUpstream) << 185n) |
    (BigInt(PAIRS[pair]?.[1] === tokenOut) << 186n);
  const isToken = swap.share < 0n;
  return { hop, share: isToken ? BigInt(tokens[Number(-1n - swap.share)] ?? 0) : swap.share };
}
