import { type Static, Type } from '../../conformance/contract/schema.ts';

const count = Type.Integer({ minimum: 0 });

const EstimateSchema = Type.Object({
  value: Type.Number(),
  low: Type.Optional(Type.Number()),
  high: Type.Optional(Type.Number()),
  /** Number of measurements. */
  count,
});
export type Estimate = Static<typeof EstimateSchema>;

const SpreadSchema = Type.Object({
  count,
  mean: Type.Number(),
  min: Type.Number(),
  p5: Type.Number(),
  p25: Type.Number(),
  median: Type.Number(),
  p75: Type.Number(),
  p95: Type.Number(),
  max: Type.Number(),
});
export type Spread = Static<typeof SpreadSchema>;

/** Received amounts compared with quoted amounts, some blocks after the quote. */
const ReceivedSchema = Type.Object({
  blocks: count,
  /** Share of the known outcomes that did not revert. */
  settled: Type.Optional(EstimateSchema),
  /** Basis points of the quoted price; positive if more than quoted was received. */
  meanBps: Type.Optional(EstimateSchema),
  medianBps: Type.Optional(EstimateSchema),
  spreadBps: Type.Optional(SpreadSchema),
  /** Plans with an unknown outcome, for a reason that is not the service's fault. */
  unknown: count,
});

const SurvivalSchema = Type.Object({
  blocks: count,
  toleranceBps: count,
  /** Share of the plans that settled within this tolerance of their quotes. */
  share: EstimateSchema,
});

const NetSchema = Type.Object({
  gasUsd: EstimateSchema,
  /** Received amount above the quote, less gas. */
  netUsd: EstimateSchema,
  /** `netUsd` in basis points of the trade's value. */
  netBps: EstimateSchema,
});

const GasSchema = Type.Object({
  limitOverUsed: SpreadSchema,
  /** Share of transactions that ran out of gas at their `gasLimit`. */
  tooLow: EstimateSchema,
  /** Share of transactions with a limit above twice the gas used. */
  tooHigh: EstimateSchema,
});

const SurplusSchema = Type.Object({
  /** Amount received above the requested exact output, in basis points. */
  bps: SpreadSchema,
  below: EstimateSchema,
});

/** Deterioration of the price compared with the ladder's smallest trade. */
const ImpactSchema = Type.Object({
  usd: Type.Number(),
  medianBps: EstimateSchema,
  spreadBps: SpreadSchema,
});

const RevertSchema = Type.Object({
  by: Type.Enum(['source', 'pair', 'size', 'reason']),
  name: Type.String(),
  reverted: count,
  /**
   * For a source, pair or size, the share of its plans that reverted. For a reason, the share of
   * all plans that reverted for that reason.
   */
  share: EstimateSchema,
});

const CellSchema = Type.Object({
  pair: Type.String(),
  usd: Type.Number(),
  requested: count,
  /** Share of trades that settled at the block of the quote, among trades with a known outcome. */
  settled: Type.Optional(Type.Number()),
  /** Mean difference between received and quoted amounts. */
  meanBps: Type.Optional(Type.Number()),
});

const BestSchema = Type.Object({
  /** Basis points by which the quote is below the best plan over the same pools. */
  meanBps: EstimateSchema,
  spreadBps: SpreadSchema,
  unknown: count,
});

const RejectionSchema = Type.Object({
  status: count,
  error: Type.String(),
  count,
  /** Message of one such reply. */
  message: Type.String(),
});

/** Measurements of one service. */
export const ServiceMetricsSchema = Type.Object({
  name: Type.String(),
  /** Share of trades for which the service returned a plan with calldata. */
  quoted: Type.Optional(EstimateSchema),
  latencyMs: Type.Optional(SpreadSchema),
  medianLatencyMs: Type.Optional(EstimateSchema),
  received: Type.Array(ReceivedSchema),
  survival: Type.Array(SurvivalSchema),
  net: Type.Optional(NetSchema),
  gas: Type.Optional(GasSchema),
  surplus: Type.Optional(SurplusSchema),
  impact: Type.Array(ImpactSchema),
  reverts: Type.Array(RevertSchema),
  rejections: Type.Array(RejectionSchema),
  failures: Type.Array(Type.Object({ why: Type.String(), count })),
  best: Type.Optional(BestSchema),
  cells: Type.Array(CellSchema),
});
export type ServiceMetrics = Static<typeof ServiceMetricsSchema>;

/** Comparison of two services on the same trades, settled at the same blocks. */
export const DuelSchema = Type.Object({
  one: Type.String(),
  other: Type.String(),
  /** Trades that at least one of the services settled. */
  trades: count,
  /**
   * Share of the trades without a tie that the first service won; absent if all trades were ties.
   */
  winRate: Type.Optional(EstimateSchema),
  ties: count,
  /**
   * Mean lead of the first service after gas, in basis points of the trade's value, over the trades
   * that both settled. A single trade may dominate this mean.
   */
  marginBps: Type.Optional(EstimateSchema),
  /** Median lead of the first service, like `marginBps`. */
  medianMarginBps: Type.Optional(EstimateSchema),
  /** The first service's latency over the other's: geometric mean of the trades' ratios. */
  latencyRatio: Type.Optional(EstimateSchema),
});
export type Duel = Static<typeof DuelSchema>;
