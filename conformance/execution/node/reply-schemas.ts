import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Static, type TSchema, Type } from '../../contract/schema.ts';

const hex = Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$' }));
const quantity = Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x[0-9a-fA-F]{1,64}$' }));
/** A number that is exact in JavaScript. */
const integer = Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x0*[0-9a-fA-F]{1,13}$' }));
const address = Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }));
const word = Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }));
/** Nodes that lack a block return null. */
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const LogSchema = Type.Object({ address, topics: Type.Array(word), data: hex });

const SimulatedCallSchema = Type.Object({
  status: Type.Union([Type.Literal('0x0'), Type.Literal('0x1')]),
  gasUsed: quantity,
  returnData: hex,
  logs: Type.Array(LogSchema),
  /** Geth puts the revert data here. */
  error: Type.Optional(orNull(Type.Object({ data: Type.Optional(Type.Unknown()) }))),
});
export type SimulatedCall = Static<typeof SimulatedCallSchema>;

const HeaderSchema = Type.Object({
  number: integer,
  timestamp: integer,
  hash: word,
  baseFeePerGas: Type.Optional(orNull(quantity)),
  gasLimit: Type.Optional(orNull(quantity)),
  miner: Type.Optional(orNull(address)),
});
export type Header = Static<typeof HeaderSchema>;

/** The calls of a transaction, or the accounts that it changes, depending on the tracer. */
const TraceSchema = {
  $defs: {
    frame: {
      type: 'object',
      required: ['type', 'from', 'input'],
      properties: {
        type: { type: 'string' },
        from: address,
        to: address,
        input: hex,
        value: quantity,
        gasUsed: quantity,
        output: hex,
        error: { type: 'string' },
        logs: {
          type: 'array',
          items: { ...LogSchema, properties: { ...LogSchema.properties, position: quantity } },
        },
        calls: { type: 'array', items: { $ref: '#/$defs/frame' } },
      },
    },
    accounts: {
      type: 'object',
      propertyNames: address,
      additionalProperties: {
        type: 'object',
        properties: {
          balance: quantity,
          code: hex,
          nonce: { type: 'integer' },
          storage: { type: 'object', propertyNames: word, additionalProperties: word },
        },
      },
    },
    diff: {
      type: 'object',
      required: ['pre', 'post'],
      properties: { pre: { $ref: '#/$defs/accounts' }, post: { $ref: '#/$defs/accounts' } },
    },
  },
  if: { type: 'object', properties: { pre: {} }, required: ['pre'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { $ref: '#/$defs/diff' },
  else: { $ref: '#/$defs/frame' },
} as const;

/** The results that the execution API specifies, for each method whose result is read. */
const SCHEMAS = {
  eth_blockNumber: integer,
  eth_call: orNull(hex),
  eth_chainId: integer,
  eth_createAccessList: Type.Object({
    accessList: Type.Array(Type.Object({ address, storageKeys: Type.Array(word) })),
  }),
  eth_getBalance: orNull(quantity),
  eth_getBlockByNumber: orNull(HeaderSchema),
  eth_getCode: orNull(hex),
  eth_getLogs: Type.Array(LogSchema),
  // Some nodes omit leading zeros.
  eth_getStorageAt: orNull(quantity),
  eth_getTransactionCount: orNull(quantity),
  eth_simulateV1: Type.Array(Type.Object({ calls: Type.Array(SimulatedCallSchema) })),
  debug_traceCall: TraceSchema,
};

const ajv = new Ajv2020({ strict: true, validateSchema: false });
const validators: Partial<Record<string, ValidateFunction>> = {};

/**
 * Returns how the result of a method differs from its specification; undefined if it does not. A
 * node's reply is untrusted input, so nothing reads a result before this check.
 *
 * @example findReplyFault('eth_chainId', 'mainnet') // 'it must match pattern ...'
 */
export function findReplyFault(method: string, result: unknown): string | undefined {
  if (!Object.hasOwn(SCHEMAS, method)) return undefined;
  validators[method] ??= ajv.compile(SCHEMAS[method as keyof typeof SCHEMAS]);
  const validate = validators[method];
  try {
    if (validate(result)) return undefined;
  } catch (error) {
    if (error instanceof RangeError) return 'it is nested too deeply';
    throw error;
  }
  const [fault] = validate.errors ?? [];
  return `${fault?.instancePath.slice(0, 100) || 'it'} ${fault?.message}`;
}
