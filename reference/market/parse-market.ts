import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Address, parseAddress } from '../planner/domain/address.ts';
import { MarketFileError, schemaError } from '../planner/domain/market-file-error.ts';
import type { Token } from '../planner/domain/token.ts';
import { familyOf, type Pool } from '../planner/pools/families.ts';
import { keyOf, tokensOf } from '../planner/pools/pool.ts';
import { parseUpTo } from '../planner/pools/pool-schema.ts';
import { MAX_GAS_PRICE_WEI } from '../planner/prices/gas-cost.ts';
import type { Market } from './market.ts';
import { type MarketFile, marketFileSchema } from './market-file.ts';

const isMarketFile = new Ajv2020({ discriminator: true, verbose: true }).compile<MarketFile>(
  marketFileSchema,
);

/**
 * Returns the market in the JSON of a market file. Validates the JSON against the schema, and
 * checks that its values are consistent.
 *
 * @throws {MarketFileError} at the first error
 */
export function parseMarket(json: unknown): Market {
  if (!isMarketFile(json)) throw schemaError(isMarketFile.errors?.[0]);
  const tokens = parseTokens(json);
  for (const key of ['usdToken', 'wrappedNative'] as const) {
    requireToken(tokens, json[key], `/${key}`);
  }
  return {
    chainId: json.chainId,
    name: json.name,
    block: json.block,
    usdToken: parseAddress(json.usdToken),
    wrappedNative: parseAddress(json.wrappedNative),
    ...(json.makerOrders !== undefined && { makerOrders: parseAddress(json.makerOrders) }),
    ...(json.gasPriceWei !== undefined && {
      gasPriceWei: parseUpTo(MAX_GAS_PRICE_WEI, json.gasPriceWei, '/gasPriceWei'),
    }),
    tokens,
    pools: parsePools(json, tokens),
    routers: json.routers.map(({ name, address, tokenProxy, sources }) => ({
      name,
      address: parseAddress(address),
      ...(tokenProxy === undefined ? {} : { tokenProxy: parseAddress(tokenProxy) }),
      sources,
    })),
  };
}

function parseTokens(json: MarketFile): ReadonlyMap<Address, Token> {
  const tokens = new Map<Address, Token>();
  for (const [i, token] of json.tokens.entries()) {
    const address = parseAddress(token.address);
    if (tokens.has(address)) {
      throw new MarketFileError(`/tokens/${i}/address`, address, 'must not be used before');
    }
    tokens.set(address, { ...token, address });
  }
  return tokens;
}

/**
 * Omits pools of tokens that charge a fee on transfer: such pools would receive less than planned.
 */
function parsePools(
  { pools, feeOnTransfer = [] }: MarketFile,
  tokens: ReadonlyMap<Address, Token>,
): readonly Pool[] {
  for (const [i, token] of feeOnTransfer.entries()) {
    requireToken(tokens, token, `/feeOnTransfer/${i}`);
  }
  const seen = new Set<string>();
  const parsed = pools.map((pool, i) => {
    const at = `/pools/${i}`;
    const isSorted = !('isNative' in pool && pool.isNative);
    requireTokens(tokensOf(pool), tokens, isSorted, (index) =>
      'tokens' in pool ? `${at}/tokens/${index}` : `${at}/token${index}`,
    );
    const key = keyOf(pool);
    if (seen.has(key)) {
      const place = key === pool.address ? 'address' : 'poolId';
      throw new MarketFileError(`${at}/${place}`, key, 'must not be used before');
    }
    seen.add(key);
    return familyOf(pool).parse(
      pool,
      at,
      (token) => tokens.get(parseAddress(token))?.decimals ?? 0,
    );
  });
  const excluded = new Set<string>(feeOnTransfer);
  return parsed.filter((pool) => !tokensOf(pool).some((token) => excluded.has(token)));
}

function requireTokens(
  traded: readonly string[],
  known: ReadonlyMap<string, Token>,
  isSorted: boolean,
  at: (index: number) => string,
): void {
  for (const [index, token] of traded.entries()) {
    requireToken(known, token, at(index));
    const before = traded[index - 1];
    if (isSorted && before !== undefined && token <= before) {
      throw new MarketFileError(at(index), token, `must be above ${before}`);
    }
  }
}

function requireToken(tokens: ReadonlyMap<string, Token>, address: string, at: string): void {
  if (!tokens.has(address))
    throw new MarketFileError(at, address, 'must be the address of a token');
}
