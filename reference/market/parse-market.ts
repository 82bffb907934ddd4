import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Address, parseAddress } from '../domain/address.ts';
import type { Token } from '../domain/token.ts';
import type { ConcentratedPool, Pool } from '../pools/pool.ts';
import {
  MAX_SQRT_RATIO,
  MIN_SQRT_RATIO,
  sqrtRatioAtTick,
  tickAtSqrtRatio,
} from '../pools/tick-math.ts';
import type { Market } from './market.ts';
import { type MarketFile, type MarketFilePool, marketFileSchema } from './market-file.ts';
import { MarketFileError, schemaError } from './market-file-error.ts';

const isMarketFile = new Ajv2020({ discriminator: true, verbose: true }).compile<MarketFile>(
  marketFileSchema,
);

const MAX_UINT112 = (1n << 112n) - 1n;
const MAX_UINT128 = (1n << 128n) - 1n;

/**
 * Returns the market in `json`, a market file as `JSON.parse` left it, once it
 * fits the schema and its parts fit each other: a wrong amount here would be a
 * wrong promise on the wire.
 *
 * @throws {MarketFileError} at the first thing that does not fit
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
    tokens,
    pools: parsePools(json.pools, tokens),
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

function parsePools(
  pools: readonly MarketFilePool[],
  tokens: ReadonlyMap<Address, Token>,
): readonly Pool[] {
  const seen = new Set<string>();
  return pools.map((pool, i) => {
    const at = `/pools/${i}`;
    requireToken(tokens, pool.token0, `${at}/token0`);
    requireToken(tokens, pool.token1, `${at}/token1`);
    if (pool.token0 >= pool.token1) {
      throw new MarketFileError(`${at}/token1`, pool.token1, `must be above ${pool.token0}`);
    }
    if (seen.has(pool.address)) {
      throw new MarketFileError(`${at}/address`, pool.address, 'must not be used before');
    }
    seen.add(pool.address);
    return parsePool(pool, at);
  });
}

function parsePool(pool: MarketFilePool, at: string): Pool {
  const identity = {
    address: parseAddress(pool.address),
    source: pool.source,
    token0: parseAddress(pool.token0),
    token1: parseAddress(pool.token1),
    feePips: pool.feePips,
  };
  if (pool.family === 'constant-product') {
    const reserve0 = parseUpTo(MAX_UINT112, pool.reserve0, `${at}/reserve0`);
    const reserve1 = parseUpTo(MAX_UINT112, pool.reserve1, `${at}/reserve1`);
    return { family: pool.family, ...identity, reserve0, reserve1 };
  }
  const concentrated: ConcentratedPool = {
    family: pool.family,
    ...identity,
    tickSpacing: pool.tickSpacing,
    sqrtPriceX96: BigInt(pool.sqrtPriceX96),
    tick: pool.tick,
    liquidity: parseUpTo(MAX_UINT128, pool.liquidity, `${at}/liquidity`),
    ticks: pool.ticks.map(({ index, liquidityGross, liquidityNet }, j) => ({
      index,
      liquidityGross: parseUpTo(MAX_UINT128, liquidityGross, `${at}/ticks/${j}/liquidityGross`),
      liquidityNet: BigInt(liquidityNet),
    })),
  };
  requirePrice(concentrated, at);
  requireTicks(concentrated, at);
  return concentrated;
}

/** The tick is the price's own, or one below when a falling price has just crossed it. */
function requirePrice({ sqrtPriceX96, tick }: ConcentratedPool, at: string): void {
  if (sqrtPriceX96 < MIN_SQRT_RATIO || sqrtPriceX96 >= MAX_SQRT_RATIO) {
    const range = `must be at least ${MIN_SQRT_RATIO} and below ${MAX_SQRT_RATIO}`;
    throw new MarketFileError(`${at}/sqrtPriceX96`, sqrtPriceX96, range);
  }
  const own = tickAtSqrtRatio(sqrtPriceX96);
  if (tick === own || (tick === own - 1 && sqrtRatioAtTick(own) === sqrtPriceX96)) return;
  throw new MarketFileError(`${at}/tick`, tick, `must be ${own}, the tick of sqrtPriceX96`);
}

/** Ticks ascend on the grid, and their sum up to the price is the liquidity there. */
function requireTicks({ ticks, tick, tickSpacing, liquidity }: ConcentratedPool, at: string): void {
  let before: number | undefined;
  let sum = 0n;
  let here = 0n;
  for (const [j, { index, liquidityNet }] of ticks.entries()) {
    const place = `${at}/ticks/${j}`;
    if (index % tickSpacing !== 0) {
      throw new MarketFileError(`${place}/index`, index, `must be a multiple of ${tickSpacing}`);
    }
    if (before !== undefined && index <= before) {
      throw new MarketFileError(`${place}/index`, index, `must be above ${before}`);
    }
    before = index;
    sum += liquidityNet;
    if (sum < 0n) {
      throw new MarketFileError(
        `${place}/liquidityNet`,
        liquidityNet,
        'must leave no liquidity below 0',
      );
    }
    if (index <= tick) here = sum;
  }
  if (sum !== 0n) throw new MarketFileError(`${at}/ticks`, sum, 'must sum to a liquidityNet of 0');
  if (here !== liquidity) {
    throw new MarketFileError(
      `${at}/liquidity`,
      liquidity,
      `must be ${here}, the liquidityNet up to the tick`,
    );
  }
}

function parseUpTo(max: bigint, text: string, at: string): bigint {
  const value = BigInt(text);
  if (value > max) throw new MarketFileError(at, text, `must be at most ${max}`);
  return value;
}

function requireToken(tokens: ReadonlyMap<string, Token>, address: string, at: string): void {
  if (!tokens.has(address))
    throw new MarketFileError(at, address, 'must be the address of a token');
}
