import { type Static, Type } from 'typebox';
import { closed, routerWith, source } from './schema-parts.ts';

const address = Type.String({
  pattern: '^0x[0-9a-f]{40}$',
  description: 'A 20-byte address in lower-case hex.',
});
const unsigned = Type.String({
  pattern: '^(0|[1-9][0-9]*)$',
  maxLength: 78,
  description: 'A whole number as a decimal string.',
});
const signed = Type.String({
  pattern: '^(0|-?[1-9][0-9]*)$',
  maxLength: 79,
  description: 'A whole number, perhaps negative, as a decimal string.',
});
const tickIndex = Type.Integer({ minimum: -887272, maximum: 887272 });

const poolIdentity = {
  address,
  source,
  token0: address,
  token1: address,
  feePips: Type.Integer({
    minimum: 0,
    maximum: 999_999,
    description: 'Fee in millionths of the input: 3000 is 0.3 %.',
  }),
};

const constantProductPool = closed({
  family: Type.Literal('constant-product'),
  ...poolIdentity,
  reserve0: unsigned,
  reserve1: unsigned,
});

const concentratedPool = closed({
  family: Type.Literal('concentrated'),
  ...poolIdentity,
  tickSpacing: Type.Integer({ minimum: 1, maximum: 16_383 }),
  sqrtPriceX96: unsigned,
  tick: tickIndex,
  liquidity: unsigned,
  ticks: Type.Array(closed({ index: tickIndex, liquidityGross: unsigned, liquidityNet: signed }), {
    description: 'All initialised ticks, ascending by index.',
  }),
});

// Written out, since `Type.Union` has no discriminator, and without one an error names every family.
const pool = Type.Unsafe<Static<typeof constantProductPool> | Static<typeof concentratedPool>>({
  type: 'object',
  required: ['family'],
  discriminator: { propertyName: 'family' },
  oneOf: [constantProductPool, concentratedPool],
});

const token = closed({
  address,
  name: Type.String(),
  symbol: Type.String({ minLength: 1 }),
  decimals: Type.Integer({ minimum: 0, maximum: 18 }),
  logoURI: Type.String(),
});

/**
 * JSON Schema (draft 2020-12) of a market file: the whole state of one chain at
 * one block, as routing reads it. Published as
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
    tokens: Type.Array(token, { minItems: 1 }),
    pools: Type.Array(pool),
    routers: Type.Array(routerWith(address)),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'swapcheck market file',
  },
);

/** A market as it stands in a file: amounts are decimal strings, addresses lower-case. */
export type MarketFile = Static<typeof marketFileSchema>;

export type MarketFilePool = MarketFile['pools'][number];
