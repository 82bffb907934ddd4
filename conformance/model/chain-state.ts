import { type Static, Type } from '../contract/schema.ts';

const hex = Type.String({ pattern: '^0x[0-9a-fA-F]*$' });
const ADDRESS = '^0x[0-9a-f]{40}$';
const WORD = '^0x[0-9a-f]{64}$';

/** Parts of an account that were not read are absent. */
const AccountSchema = Type.Object({
  balance: Type.Optional(hex),
  nonce: Type.Optional(hex),
  code: Type.Optional(hex),
  /** Values by storage slot. */
  storage: Type.Optional(Type.Record(Type.String({ pattern: WORD }), hex)),
});

/**
 * The part of a chain's state at one block that settlements read. @see docs/chain-state.schema.json
 */
export const ChainStateSchema = Type.Object({
  kind: Type.Literal('chain-state'),
  chainId: Type.Integer({ minimum: 0 }),
  /** Block headers by number: the forked block, and every block whose hash was read. */
  blocks: Type.Record(
    Type.String({ pattern: '^0x[0-9a-f]+$' }),
    Type.Record(Type.String(), Type.Unknown()),
  ),
  accounts: Type.Record(Type.String({ pattern: ADDRESS }), AccountSchema),
});
export type ChainState = Static<typeof ChainStateSchema>;
