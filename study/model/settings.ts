import { type Static, Type } from '../../conformance/contract/schema.ts';

/** Settings of a study. Studies of the same market with equal settings request the same trades. */
export const StudySettingsSchema = Type.Object({
  seed: Type.Integer({ minimum: 0 }),
  /** Number of trades on all chains together, in complete ladders of `sizes`. */
  trades: Type.Integer({ minimum: 1 }),
  /** Values of the trades in a ladder in US dollars, ascending. */
  sizes: Type.Array(Type.Number({ exclusiveMinimum: 0 }), { minItems: 1 }),
  /** Numbers of blocks after the quote at which each plan is settled, ascending. */
  blocks: Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 }),
  /** Slippage tolerance of the calldata in steps of 0.0001. */
  toleranceBps: Type.Integer({ minimum: 0, maximum: 10_000 }),
  /** IDs of the studied chains. */
  chains: Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 }),
  /**
   * Price of a unit of gas in wei, as a decimal string. If absent, the study uses the chain's price
   * at the block of the quote.
   */
  gasPriceWei: Type.Optional(Type.String()),
});
export type StudySettings = Static<typeof StudySettingsSchema>;

/** Slippage tolerances of the survival curve, in basis points. */
export const SURVIVAL_BPS = [10, 50, 100] as const;

/** Returns the number of requested trades, in complete ladders. */
export function tradesIn({ trades, sizes }: Pick<StudySettings, 'trades' | 'sizes'>): number {
  return Math.ceil(trades / sizes.length) * sizes.length;
}
