import { ROUTER_NAMES } from './names.ts';
import type { Endpoint } from './paths.ts';
import { Type } from './schema.ts';

/*
 * The query of every operation as a JSON Schema (draft 2020-12) of the parsed parameters; on the
 * wire each is a text. Rules over several parameters are not part of the schemas: 4.1, rules 1 and
 * 2.
 */

/** A positive amount in base units, in decimal digits. */
const amount = Type.String({ pattern: '^[1-9][0-9]*$' });

const apiKey = Type.String({ minLength: 1 });
const chainId = Type.Integer();
/** Chains that are not EVM-like have other formats, so the schema requires no more. */
const address = Type.String({ minLength: 1 });

const ofChain = Type.Object({ chainId, apiKey });

/** The parameters of each operation, in the order of the specification. @see Specification 4 */
export const QUERY_SCHEMAS = {
  swap: Type.Object({
    chainId,
    sellToken: address,
    buyToken: address,
    sellAmount: Type.Optional(amount),
    buyAmount: Type.Optional(amount),
    useRfq: Type.Optional(Type.Boolean({ default: false })),
    router: Type.Optional(Type.Enum(ROUTER_NAMES, { default: 'default-router' })),
    includeCalldata: Type.Optional(Type.Boolean({ default: false })),
    userAddress: Type.Optional(address),
    recipientAddress: Type.Optional(address),
    slippageTolerance: Type.Optional(Type.Number({ minimum: 0, maximum: 1, multipleOf: 0.0001 })),
    apiKey,
  }),
  tokens: ofChain,
  chains: Type.Object({ apiKey }),
  chainInfo: ofChain,
} as const satisfies Record<Endpoint, object>;
