import { type Static, Type } from '../../conformance/contract/schema.ts';
import { FAMILIES, type FilePool } from '../planner/pools/families.ts';
import { address, closed, unsigned } from '../planner/pools/pool-schema.ts';
import { feeOnTransfer, routerWith } from './schema-parts.ts';

// `Type.Union` has no discriminator. Without a discriminator, an error would list every family.
const pool = Type.Unsafe<FilePool>({
  type: 'object',
  required: ['family'],
  discriminator: { propertyName: 'family' },
  oneOf: Object.values(FAMILIES).map(({ schema }) => schema),
});

const token = closed({
  address,
  name: Type.String(),
  symbol: Type.String({ minLength: 1 }),
  decimals: Type.Integer({ minimum: 0, maximum: 18 }),
  logoURI: Type.String(),
});

/**
 * JSON Schema (draft 2020-12) for a market file: the state of one chain at one block. Published as
 * `fixtures/schemas/market.schema.json`.
 */
export const marketFileSchema = closed(
  {
    format: Type.Literal(1),
    chainId: Type.Integer({ minimum: 1 }),
    name: Type.String({ minLength: 1 }),
    block: closed({
      number: Type.Integer({ minimum: 0 }),
      timestamp: Type.Integer({ minimum: 0 }),
      hash: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
    }),
    usdToken: address,
    wrappedNative: address,
    makerOrders: Type.Optional(address),
    gasPriceWei: Type.Optional(unsigned),
    feeOnTransfer: feeOnTransfer(address),
    tokens: Type.Array(token, { minItems: 1 }),
    pools: Type.Array(pool),
    routers: Type.Array(routerWith(address)),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'swapcheck market file',
  },
);

/** A market in a file: amounts are decimal strings, addresses in lower case. */
export type MarketFile = Static<typeof marketFileSchema>;
