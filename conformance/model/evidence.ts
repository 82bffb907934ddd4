import { type Static, Type } from '../contract/schema.ts';

const address = Type.String({ pattern: '^0x[0-9a-f]{40}$' });
const hex = Type.String({ pattern: '^0x[0-9a-fA-F]*$' });
const amount = Type.String({ pattern: '^[0-9]+$' });
const change = Type.String({ pattern: '^-?[0-9]+$' });
const count = Type.Integer({ minimum: 0 });

const decimals = Type.Optional(count);
const name = Type.Optional(Type.String());

/** A transfer from one account to another. Transfers are listed in the order of the transaction. */
export const MovedSchema = Type.Object({
  from: address,
  fromName: name,
  to: address,
  toName: name,
  /** The token's address, or the zero address for the native token. */
  token: address,
  symbol: name,
  decimals,
  amount,
});
export type Moved = Static<typeof MovedSchema>;

const CallSchema = Type.Object({ from: address, to: address, value: amount, data: hex });

/** A trade under given circumstances, which `replay` executes again. */
export const ScenarioSchema = Type.Object({
  chainId: count,
  /** Number of the forked block. */
  block: count,
  /** Time of the trade's block, in Unix seconds. */
  time: count,
  /**
   * Other fields of the trade's block, with the base fee in wei. The hashes of earlier blocks are
   * derived from `salt`.
   */
  fields: Type.Object({
    number: count,
    baseFee: amount,
    coinbase: address,
    prevRandao: hex,
    parentHash: hex,
    salt: hex,
    gasLimit: amount,
  }),
  /** State that differs from the chain, by account: balances in wei, code, and storage slots. */
  overrides: Type.Record(
    Type.String({ pattern: '^0x[0-9a-f]{40}$' }),
    Type.Object({
      balance: Type.Optional(amount),
      nonce: Type.Optional(count),
      code: Type.Optional(hex),
      storage: Type.Optional(Type.Record(Type.String({ pattern: '^0x[0-9a-f]{64}$' }), hex)),
    }),
  ),
  /** Calls before the trade, such as those that move a price. */
  before: Type.Array(CallSchema),
  trade: CallSchema,
  /**
   * Gas limit of the trade: ample, or the plan's `gasLimit` if the trade fails only within that
   * limit.
   */
  gas: amount,
  /**
   * Tokens and accounts whose balances are compared; the zero address represents the native token.
   */
  measured: Type.Object({ tokens: Type.Array(address), holders: Type.Array(address) }),
});
export type SavedScenario = Static<typeof ScenarioSchema>;

/** A frame's caller is the nearest earlier frame whose `depth` is one less. */
const FrameSchema = Type.Object({
  depth: count,
  type: Type.String(),
  from: address,
  to: Type.Optional(address),
  name,
  /** The function, if its selector is known. */
  call: Type.Optional(Type.String()),
  value: amount,
  gasUsed: amount,
  /** The first bytes of the input. */
  input: hex,
  error: Type.Optional(Type.String()),
  /** The decoded revert reason. */
  revert: Type.Optional(Type.String()),
});
export type TracedCall = Static<typeof FrameSchema>;

/** One failed settlement, with everything needed to reproduce it. @see docs/evidence.schema.json */
export const SettlementEvidenceSchema = Type.Object({
  kind: Type.Literal('settlement-evidence'),
  rule: Type.String(),
  expected: Type.String(),
  actual: Type.String(),
  /** A description of the trade. */
  trade: Type.String(),
  /** The request whose reply was settled, with the key redacted. */
  request: Type.String(),
  /** The forked block. */
  block: Type.Object({ number: count, timestamp: count, hash: hex }),
  scenario: ScenarioSchema,
  /**
   * Name of the file next to this one with the chain state that the settlement read. If absent, a
   * replay needs a node.
   */
  state: Type.Optional(Type.String({ pattern: '^chain-[0-9]+-block-[0-9]+\\.json$' })),
  /** The user's approvals. */
  approvals: Type.Array(
    Type.Object({
      token: address,
      symbol: name,
      decimals,
      spender: address,
      spenderName: name,
      /** The account that Permit2 approves; present if Permit2 is the spender. */
      router: Type.Optional(address),
      allowance: amount,
    }),
  ),
  /** Limit that the slippage tolerance implies: the minimum bought or the maximum sold. */
  limit: Type.Optional(
    Type.Object({
      toleranceBps: count,
      leastBought: amount,
      mostSold: amount,
    }),
  ),
  changes: Type.Array(
    Type.Object({
      account: address,
      name,
      token: address,
      symbol: name,
      decimals,
      /** The change according to the plan. */
      expected: change,
      actual: change,
      /** Actual divided by expected, if the expected amount is not zero. */
      share: Type.Optional(Type.Number()),
    }),
  ),
  outcome: Type.Object({
    kind: Type.Enum(['settled', 'reverted', 'rejected']),
    /** Reason why the transaction failed. */
    reason: Type.Optional(Type.String()),
    gasUsed: Type.Optional(amount),
  }),
  transfers: Type.Array(MovedSchema),
  trace: Type.Array(FrameSchema),
});
export type SettlementEvidence = Static<typeof SettlementEvidenceSchema>;

/** The effects of a settlement, without the rule that it breaks. */
export type ExplainedSettlement = Omit<
  SettlementEvidence,
  'kind' | 'rule' | 'expected' | 'actual' | 'request' | 'state'
>;
