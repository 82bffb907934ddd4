import fc from 'fast-check';
import type { Query, RequestTarget } from '../client/request.ts';
import { isNative, NATIVE_ALIASES } from '../contract/names.ts';
import type { RouterName } from '../contract/resources.ts';
import { createRandom } from '../model/random.ts';
import { shuffle } from './deck.ts';
import { inLetterCase, percentEncode } from './query-formats.ts';
import {
  queryFor,
  RECIPIENT_ADDRESS,
  swapTarget,
  TOLERANCES,
  type Trade,
  userOf,
} from './trades.ts';

/**
 * One of the combinations that the traffic covers: the form of a request for a plan, without its
 * pair.
 */
export type Mode = {
  readonly kind: 'exact-input' | 'exact-output';
  /**
   * Power of ten by which the requested amount exceeds the amount for which discovery received a
   * plan.
   */
  readonly decade: number;
  readonly router: RouterName | undefined;
  readonly calldata: boolean;
};

const often = <T>(usual: T, ...rare: readonly T[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(usual, ...rare) },
  );

/**
 * Draws the digits of a request's amount, and everything that does not change its meaning. Shrinks
 * towards the plainest request.
 */
export const variationArbitrary = fc.record({
  /** Leading digits of the amount. */
  mantissa: fc.integer({ min: 1_000, max: 9_999 }),
  useRfq: often<'true' | 'false' | undefined>(undefined, 'true', 'false'),
  includeCalldata: often<'false' | undefined>(undefined, 'false'),
  recipient: fc.boolean(),
  slippageTolerance: fc.constantFrom('0.01', ...TOLERANCES),
  alias: fc.constantFrom<0 | 1>(0, 1),
  letterCase: often<'as-is' | 'lower' | 'upper'>('as-is', 'lower', 'upper'),
  /** Seed for the order of parameters; 0 leaves the usual order. */
  order: fc.nat(9_999),
  /** Percent-encodes every n-th character unnecessarily; 0 means none. */
  encodeEvery: often(0, 1, 2, 3),
});

type Variation = typeof variationArbitrary extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Returns the request for a trade in a mode, with a variation. */
export function vary(trade: Trade, mode: Mode, variation: Variation): RequestTarget {
  const { pair } = trade;
  const fixed = mode.kind === 'exact-input' ? 'sellAmount' : 'buyAmount';
  const amount = scaledAmount(pair[fixed], mode.decade, variation.mantissa);
  const plain = queryFor(trade, fixed, amount);
  const optional = optionsOf(mode, variation, userOf(trade.market));
  const needed = plain.filter(([name]) => !optional.some(([other]) => other === name));
  const aliased = withNativeAlias([...needed, ...optional], NATIVE_ALIASES[variation.alias]);
  const { letterCase } = variation;
  const query = letterCase === 'as-is' ? aliased : inLetterCase(aliased, letterCase);
  const ordered = variation.order === 0 ? query : shuffle(query, createRandom(variation.order));
  return variation.encodeEvery === 0
    ? swapTarget(ordered)
    : { ...swapTarget(ordered), query: percentEncode(ordered, { every: variation.encodeEvery }) };
}

function optionsOf({ router, calldata }: Mode, variation: Variation, user: string): Query {
  const { useRfq, includeCalldata, recipient, slippageTolerance } = variation;
  const given = {
    router,
    useRfq,
    ...(calldata
      ? {
          includeCalldata: 'true',
          userAddress: user,
          slippageTolerance,
          recipientAddress: recipient ? RECIPIENT_ADDRESS : undefined,
        }
      : { includeCalldata }),
  };
  return Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
}

function scaledAmount(near: bigint, decade: number, mantissa: number): bigint {
  const digits = (near * BigInt(mantissa)) / 5_000n;
  const scaled = decade < 0 ? digits / 10n ** BigInt(-decade) : digits * 10n ** BigInt(decade);
  return scaled > 0n ? scaled : 1n;
}

function withNativeAlias(query: Query, alias: string): Query {
  return query.map(([name, value]) => [name, isNative(value) ? alias : value]);
}
