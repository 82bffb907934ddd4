import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Static, Type } from '../../../conformance/contract/schema.ts';
import { schemaError } from '../../planner/domain/market-file-error.ts';
import {
  FAMILIES,
  type FileFamilyName,
  type FilePool,
  type Pool,
} from '../../planner/pools/families.ts';
import { closed, source } from '../../planner/pools/pool-schema.ts';
import { feeOnTransfer, routerWith } from '../schema-parts.ts';

const address = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'A 20-byte address in hex, in any letter case.',
});
const poolKey = closed(
  {
    currency0: address,
    currency1: address,
    fee: Type.Integer({ minimum: 0, maximum: 999_999 }),
    tickSpacing: Type.Integer({ minimum: 1, maximum: 32_767 }),
  },
  {
    description: 'Key of a PoolManager pool without hooks. A zero currency0 is the native token.',
  },
);
const pool = closed({
  family: Type.Enum(Object.keys(FAMILIES) as FileFamilyName[]),
  address,
  source,
  feePips: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 999_999,
      description:
        'Fee of a constant-product pair in millionths of the input; default 3000. Other pools report their fee.',
    }),
  ),
  key: Type.Optional(poolKey),
});

/**
 * JSON Schema (draft 2020-12) for a pools file: a chain's pools and routers to serve. Their state
 * is read from a node. Published as `fixtures/schemas/pools.schema.json`.
 */
export const poolsFileSchema = closed(
  {
    format: Type.Literal(1),
    chainId: Type.Integer({ minimum: 1 }),
    name: Type.String({ minLength: 1, description: 'Name of the chain, as in /chains.' }),
    usdToken: address,
    wrappedNative: address,
    makerOrders: Type.Optional(address),
    feeOnTransfer: feeOnTransfer(address),
    logos: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Logo URIs by token address; other tokens have a plain disc.',
      }),
    ),
    pools: Type.Array(pool, { minItems: 1 }),
    routers: Type.Array(routerWith(address), { minItems: 1 }),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'swapcheck pools file',
  },
);

/** The pools and routers of one chain. */
export type PoolsFile = Static<typeof poolsFileSchema>;

const isPoolsFile = new Ajv2020({ verbose: true }).compile<PoolsFile>(poolsFileSchema);

/**
 * Returns the parsed pools file, with addresses in lower case.
 *
 * @throws {MarketFileError} at the first error
 */
export function parsePoolsFile(json: unknown): PoolsFile {
  if (!isPoolsFile(json)) throw schemaError(isPoolsFile.errors?.[0], 'pools file');
  return lowerAddresses(json);
}

function lowerAddresses(json: PoolsFile): PoolsFile {
  const text = JSON.stringify(json);
  return JSON.parse(text.replace(/"0x[0-9a-fA-F]{40}"/g, (address) => address.toLowerCase()));
}

/** Returns the entry of a pool in a pools file. */
export function entryOf(pool: FilePool | Pool): PoolsFile['pools'][number] {
  const { family, address, source } = pool;
  if (family === 'maker-order') throw new Error('a pools file cannot contain an order');
  if (family !== 'singleton') return { family, address, source };
  const { isNative, token0, token1, feePips, tickSpacing } = pool;
  const currency0 = isNative ? `0x${'0'.repeat(40)}` : token0;
  return {
    family,
    address,
    source,
    key: { currency0, currency1: token1, fee: feePips, tickSpacing },
  };
}
