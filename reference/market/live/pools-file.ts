import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Static, Type } from '../../../conformance/contract/schema.ts';
import { schemaError } from '../../planner/domain/market-file-error.ts';
import { FAMILIES, type FileFamilyName } from '../../planner/pools/families.ts';
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
    description:
      'Which pool of a PoolManager, whose address is given: its key, without hooks. A currency0 of zero is native.',
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
        'Fee of a constant-product pair in millionths of the input, which no contract tells; 3000 where it is not given. Other pools tell their own.',
    }),
  ),
  key: Type.Optional(poolKey),
});

/**
 * JSON Schema (draft 2020-12) of a pools file: which pools and routers of a
 * chain to serve; their state is read from a node. Published as
 * `fixtures/schemas/pools.schema.json`.
 */
export const poolsFileSchema = closed(
  {
    format: Type.Literal(1),
    chainId: Type.Integer({ minimum: 1 }),
    name: Type.String({ minLength: 1, description: 'Name of the chain, as /chains gives it.' }),
    usdToken: address,
    wrappedNative: address,
    makerOrders: Type.Optional(address),
    feeOnTransfer: feeOnTransfer(address),
    logos: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Logo URIs by token address; a plain disc for a token that is not here.',
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
 * Returns the pools file in `json`, as `JSON.parse` left it, its addresses in
 * lower case.
 *
 * @throws {MarketFileError} at the first thing that does not fit
 */
export function parsePoolsFile(json: unknown): PoolsFile {
  if (!isPoolsFile(json)) throw schemaError(isPoolsFile.errors?.[0], 'pools file');
  return lowerAddresses(json);
}

/** Returns JSON with every address in it in lower case, as values and as names. */
function lowerAddresses(json: PoolsFile): PoolsFile {
  const text = JSON.stringify(json);
  return JSON.parse(text.replace(/"0x[0-9a-fA-F]{40}"/g, (address) => address.toLowerCase()));
}
