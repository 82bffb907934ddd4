import { type Static, Type } from '../contract/schema.ts';

const address = Type.String({ pattern: '^0x[0-9a-f]{40}$' });
const hex = Type.String({ pattern: '^0x[0-9a-fA-F]*$' });
/** Base units. */
const amount = Type.String({ pattern: '^[0-9]+$' });
const change = Type.String({ pattern: '^-?[0-9]+$' });
const count = Type.Integer({ minimum: 0 });

const decimals = Type.Optional(count);
/** A token or account in words, where it has any. */
const name = Type.Optional(Type.String());

/** What moved from one account to another, in the order of the transaction. */
export const MovedSchema = Type.Object({
  from: address,
  fromName: name,
  to: address,
  toName: name,
  /** Zero is native. */
  token: address,
  symbol: name,
  decimals,
  amount,
});
export type Moved = Static<typeof MovedSchema>;

const CallSchema = Type.Object({ to: address, value: amount, data: hex });

/** A call of the transaction; `depth` says by which it was made: the last before it of one less. */
const FrameSchema = Type.Object({
  depth: count,
  type: Type.String(),
  from: address,
  to: Type.Optional(address),
  name,
  /** The function, where its selector is known. */
  call: Type.Optional(Type.String()),
  value: amount,
  gasUsed: amount,
  /** The first bytes. */
  input: hex,
  error: Type.Optional(Type.String()),
  /** What it reverted with, in words. */
  revert: Type.Optional(Type.String()),
});
export type TracedCall = Static<typeof FrameSchema>;

/** One failed settlement with all that it takes to make it again. @see docs/evidence.schema.json */
export const SettlementEvidenceSchema = Type.Object({
  kind: Type.Literal('settlement-evidence'),
  rule: Type.String(),
  expected: Type.String(),
  actual: Type.String(),
  /** The trade in words. */
  trade: Type.String(),
  /** The request whose reply was settled, the key redacted. */
  request: Type.String(),
  chainId: count,
  /** The block that was forked. */
  block: Type.Object({ number: count, timestamp: count, hash: hex }),
  transaction: Type.Object({
    from: address,
    to: address,
    value: amount,
    data: hex,
    gas: amount,
    /** When it was mined, in Unix seconds. */
    timestamp: count,
  }),
  /** The file beside this one that holds what the settlement read of the chain; absent, a node is needed. */
  state: Type.Optional(Type.String({ pattern: '^chain-[0-9]+-block-[0-9]+\\.json$' })),
  /** What was written into the state of the fork: what the sender and others hold. */
  overrides: Type.Object({
    native: amount,
    tokens: Type.Array(
      Type.Object({ account: address, token: address, symbol: name, decimals, amount }),
    ),
    /** Code that stands in for that of other accounts. */
    code: Type.Array(Type.Object({ account: address, code: hex })),
  }),
  /** What the sender has approved; `calls` are how. */
  approvals: Type.Array(
    Type.Object({
      token: address,
      symbol: name,
      decimals,
      spender: address,
      spenderName: name,
      /** Whom Permit2 is told of, where it is the spender. */
      router: Type.Optional(address),
      allowance: amount,
      calls: Type.Array(CallSchema),
    }),
  ),
  /** Calls that the sender made before, such as those that move a price. */
  earlier: Type.Array(CallSchema),
  /** What the tolerance implies: the least that may be bought, the most that may be sold. */
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
      /** What the plan says. */
      expected: change,
      actual: change,
      /** Actual over expected, where something is expected. */
      share: Type.Optional(Type.Number()),
    }),
  ),
  outcome: Type.Object({
    kind: Type.Enum(['settled', 'reverted', 'refused']),
    /** Why it did not settle. */
    reason: Type.Optional(Type.String()),
    gasUsed: Type.Optional(amount),
  }),
  transfers: Type.Array(MovedSchema),
  trace: Type.Array(FrameSchema),
});
export type SettlementEvidence = Static<typeof SettlementEvidenceSchema>;

/** What a settlement did, apart from the rule that it breaks. */
export type Explained = Omit<
  SettlementEvidence,
  'kind' | 'rule' | 'expected' | 'actual' | 'request' | 'state'
>;
