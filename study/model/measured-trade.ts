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

/** A trade that every service is asked for at one moment. */
const StudyTradeSchema = Type.Object({
  /** Position in the corpus, from 0. */
  id: count,
  /** Trades of one ladder differ in size alone, and are asked for at one block. */
  ladder: count,
  chainId: count,
  /** Rank of the pair, from 1: the first service's most valuable pair to ask for. */
  rank: Type.Integer({ minimum: 1 }),
  sell: StudyAssetSchema,
  buy: StudyAssetSchema,
  swapKind: Type.Enum(['exact-input', 'exact-output']),
  router: Type.Enum(['service-router', 'universal-router', 'default-router']),
  useRfq: Type.Boolean(),
  /** What it is meant to be worth. */
  usd: Type.Number(),
  amount,
});
export type StudyTrade = Static<typeof StudyTradeSchema>;

/** What a plan came to, so many blocks after the quote. */
const OutcomeSchema = Type.Intersect([
  Type.Object({ blocks: count }),
  Type.Union([
    Type.Object({ kind: Type.Literal('settled'), spent: amount, received: amount }),
    Type.Object({ kind: Type.Literal('reverted'), reason: Type.String() }),
    /** Nobody knows: the node lost the block, or the account could not be given the tokens. */
    Type.Object({ kind: Type.Literal('unknown'), why: Type.String() }),
  ]),
]);
export type Outcome = Static<typeof OutcomeSchema>;

/** What came of the plan as a transaction within its gas limit, at the block of the quote. */
const MinedSchema = Type.Union([
  Type.Object({
    kind: Type.Literal('mined'),
    /** Whether it held with the gas limit of the plan. */
    success: Type.Boolean(),
    gasUsed: amount,
    gasPriceWei: amount,
  }),
  Type.Object({ kind: Type.Literal('refused'), reason: Type.String() }),
]);

/** The best plan over the same pools, or over all of a market, at the block of the quote. */
const BestSchema = Type.Union([
  Type.Object({
    kind: Type.Literal('best'),
    sold: amount,
    bought: amount,
    /** Pools that it could use. */
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
  /** Names of the liquidity sources, each once. */
  sources: Type.Array(Type.String()),
  swaps: count,
  /** US dollars for a whole token, as the plan tells them. */
  usdPrice: Type.Object({
    sell: Type.Optional(Type.Number()),
    buy: Type.Optional(Type.Number()),
    native: Type.Optional(Type.Number()),
  }),
  outcomes: Type.Array(OutcomeSchema),
  /** What came of calldata of other tolerances for the same trade, asked for at the same moment. */
  guarded: Type.Optional(
    Type.Array(Type.Object({ toleranceBps: count, outcomes: Type.Array(OutcomeSchema) })),
  ),
  mined: Type.Optional(MinedSchema),
  best: Type.Optional(BestSchema),
  /** Of the worst trades alone. */
  plan: Type.Optional(PlanSketchSchema),
});
export type Quoted = Static<typeof QuotedSchema>;

/** What one service did of a trade. */
const AnswerSchema = Type.Union([
  QuotedSchema,
  Type.Object({
    kind: Type.Literal('refused'),
    latencyMs,
    status: count,
    error: Type.String(),
    message: Type.String(),
  }),
  /** No reply, or none that can be settled. */
  Type.Object({ kind: Type.Literal('failed'), why: Type.String() }),
]);
export type Answer = Static<typeof AnswerSchema>;

/** A trade with what each service did of it, in the order of the services. */
export const MeasuredTradeSchema = Type.Object({
  ...StudyTradeSchema.properties,
  /** The block at which it was asked for. */
  block: count,
  answers: Type.Array(AnswerSchema),
});
export type MeasuredTrade = Static<typeof MeasuredTradeSchema>;
