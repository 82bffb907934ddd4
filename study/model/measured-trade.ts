import { type Static, Type } from '../../conformance/contract/schema.ts';
import { PlanSketchSchema } from '../../conformance/model/plan-sketch.ts';

const amount = Type.String({ description: 'Base units, a decimal string.' });
const count = Type.Integer({ minimum: 0 });

const StudyAssetSchema = Type.Object({
  address: Type.String(),
  symbol: Type.String(),
  decimals: count,
  native: Type.Boolean(),
});

const StudyTradeSchema = Type.Object({
  /** Position in the corpus, from 0. */
  id: count,
  /** Trades of one ladder differ only in size, and are requested at the same block. */
  ladder: count,
  chainId: count,
  /** Rank of the pair among the first service's pairs. The most valuable pair has rank 1. */
  rank: Type.Integer({ minimum: 1 }),
  sell: StudyAssetSchema,
  buy: StudyAssetSchema,
  swapKind: Type.Enum(['exact-input', 'exact-output']),
  router: Type.Enum(['service-router', 'universal-router', 'default-router']),
  useRfq: Type.Boolean(),
  /** Intended value in US dollars. */
  usd: Type.Number(),
  amount,
});
export type StudyTrade = Static<typeof StudyTradeSchema>;

const OutcomeSchema = Type.Intersect([
  Type.Object({ blocks: count }),
  Type.Union([
    Type.Object({ kind: Type.Literal('settled'), spent: amount, received: amount }),
    Type.Object({ kind: Type.Literal('reverted'), reason: Type.String() }),
    /** The node did not provide the block or its state, or an account could not be funded. */
    Type.Object({ kind: Type.Literal('unknown'), why: Type.String() }),
  ]),
]);
export type Outcome = Static<typeof OutcomeSchema>;

/** Outcome of sending the plan as a transaction with its gas limit, at the block of the quote. */
const MinedSchema = Type.Union([
  Type.Object({
    kind: Type.Literal('mined'),
    /** True if the trade succeeded within the gas limit of the plan. */
    success: Type.Boolean(),
    gasUsed: amount,
    gasPriceWei: amount,
  }),
  Type.Object({ kind: Type.Literal('rejected'), reason: Type.String() }),
]);

const BestSchema = Type.Union([
  Type.Object({
    kind: Type.Literal('best'),
    sold: amount,
    bought: amount,
    /** Number of pools that the best plan may use. */
    pools: count,
  }),
  Type.Object({ kind: Type.Literal('unknown'), why: Type.String() }),
]);
export type Best = Static<typeof BestSchema>;

const latencyMs = Type.Number({ minimum: 0 });

const QuotedSchema = Type.Object({
  kind: Type.Literal('quoted'),
  latencyMs,
  sold: amount,
  bought: amount,
  gasLimit: amount,
  /** Names of the liquidity sources, without duplicates. */
  sources: Type.Array(Type.String()),
  swaps: count,
  /** US dollars per whole token, as in the plan. */
  usdPrice: Type.Object({
    sell: Type.Optional(Type.Number()),
    buy: Type.Optional(Type.Number()),
    native: Type.Optional(Type.Number()),
  }),
  outcomes: Type.Array(OutcomeSchema),
  mined: Type.Optional(MinedSchema),
  best: Type.Optional(BestSchema),
  /** The plan itself; present only for the worst trades. */
  plan: Type.Optional(PlanSketchSchema),
});
export type Quoted = Static<typeof QuotedSchema>;

const AnswerSchema = Type.Union([
  QuotedSchema,
  Type.Object({
    kind: Type.Literal('rejected'),
    latencyMs,
    status: count,
    error: Type.String(),
    message: Type.String(),
  }),
  /** The service sent no reply that can be settled. */
  Type.Object({ kind: Type.Literal('failed'), why: Type.String() }),
]);
export type Answer = Static<typeof AnswerSchema>;

/** A trade with the response of each service, in the order of the services. */
export const MeasuredTradeSchema = Type.Object({
  ...StudyTradeSchema.properties,
  /** Block at which the trade was requested. */
  block: count,
  answers: Type.Array(AnswerSchema),
});
export type MeasuredTrade = Static<typeof MeasuredTradeSchema>;
