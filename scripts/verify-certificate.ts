import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/*
 * npx tsx scripts/verify-certificate.ts MARKET.json CERTIFICATE.json: tells whether the
 * prices of a certificate (`swapcheck route --certificate`) prove its bound. By weak
 * duality: let every pool trade for itself at these prices until it gains no more; with
 * what it sells worth, no plan whatever brings more than all of these gains and what is
 * sold, at its price. Shares no code with the planner, and takes its word for nothing.
 */

type Pool = {
  readonly family: string;
  readonly source: string;
  readonly token0: string;
  readonly token1: string;
  readonly feePips: number;
  readonly [field: string]: unknown;
};

type MarketJson = {
  readonly pools: readonly Pool[];
  readonly routers: readonly { readonly name: string; readonly sources: readonly string[] }[];
};

export type CertificateJson = {
  readonly router: string;
  readonly trade: 'exact-input' | 'exact-output';
  readonly sellToken: string;
  readonly buyToken: string;
  readonly sellAmount: string;
  readonly buyAmount: string;
  /** Base units: the most that can be bought, or with exact output the least that can be sold. */
  readonly bound: number;
  /** What a base unit of each token is worth, in base units of the buy token. */
  readonly prices: Readonly<Record<string, number>>;
};

/** Of floats, as part of the bound. */
const ROUNDING = 1e-9;

/** Returns what is wrong with a certificate; `undefined` if its prices prove its bound, and the plan keeps within. */
export function refute(market: MarketJson, certificate: CertificateJson): string | undefined {
  const { prices, sellToken, buyToken, bound, trade } = certificate;
  const sources = market.routers.find(({ name }) => name === certificate.router)?.sources ?? [];
  const pools = market.pools.filter(({ source }) => sources.includes(source));
  const priceOf = (token: string) => prices[token] ?? 0;
  if (priceOf(buyToken) !== 1) return 'the price of the buy token is not 1';
  if (!Object.values(prices).every((price) => price > 0 && Number.isFinite(price))) {
    return 'a price is not above 0';
  }
  const detour = unpricedDetour(pools, prices);
  if (detour !== undefined) return `no price for ${detour}, which lies on a way`;
  let gains = 0;
  for (const pool of pools) {
    const [price0, price1] = [priceOf(pool.token0), priceOf(pool.token1)];
    if (price0 === 0 || price1 === 0) continue;
    // No plan sells the buy token, nor buys the sell token.
    if (pool.token0 !== buyToken && pool.token1 !== sellToken)
      gains += gain(pool, true, price0, price1);
    if (pool.token1 !== buyToken && pool.token0 !== sellToken)
      gains += gain(pool, false, price1, price0);
  }
  const [sold, bought] = [Number(certificate.sellAmount), Number(certificate.buyAmount)];
  const price = priceOf(sellToken);
  if (trade === 'exact-input') {
    const most = sold * price + gains;
    if (bound < most * (1 - ROUNDING)) return `the prices prove ${most} at most, not ${bound}`;
    return bought > bound * (1 + ROUNDING) ? 'the plan buys more than the bound' : undefined;
  }
  const least = (bought - gains) / price;
  if (bound > least * (1 + ROUNDING)) return `the prices prove ${least} at least, not ${bound}`;
  return sold < bound * (1 - ROUNDING) ? 'the plan sells less than the bound' : undefined;
}

/** Returns a token without a price that a way between tokens with one could lead through; those behind a single token are on no way. */
function unpricedDetour(
  pools: readonly Pool[],
  prices: CertificateJson['prices'],
): string | undefined {
  const seen = new Set<string>();
  for (const start of pools.flatMap(({ token0, token1 }) => [token0, token1])) {
    if (start in prices || seen.has(start)) continue;
    const exits = new Set<string>();
    const part = new Set([start]);
    for (const token of part) {
      seen.add(token);
      for (const { token0, token1 } of pools) {
        if (token0 !== token && token1 !== token) continue;
        const next = token0 === token ? token1 : token0;
        (next in prices ? exits : part).add(next);
      }
    }
    if (exits.size > 1) return start;
  }
  return undefined;
}

/** The most that a pool gains by buying one token for the other at these prices. */
function gain(pool: Pool, zeroForOne: boolean, priceIn: number, priceOut: number): number {
  if (pool.family !== 'constant-product' && pool.family !== 'concentrated') {
    return Number.POSITIVE_INFINITY;
  }
  const kept = 1 - pool.feePips / 1e6;
  if (pool.family === 'constant-product') {
    const [reserve0, reserve1] = [Number(pool['reserve0']), Number(pool['reserve1'])];
    const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0];
    const input =
      (Math.sqrt((kept * reserveIn * reserveOut * priceOut) / priceIn) - reserveIn) / kept;
    if (!(input > 0)) return 0;
    return (priceOut * reserveOut * kept * input) / (reserveIn + kept * input) - priceIn * input;
  }
  // Square root of token1 per token0, at which a little more is worth no more than it costs.
  const goal = zeroForOne
    ? Math.sqrt(priceIn / (priceOut * kept))
    : Math.sqrt((priceOut * kept) / priceIn);
  const ticks = pool['ticks'] as readonly {
    readonly index: number;
    readonly liquidityNet: string;
  }[];
  let root = Number(pool['sqrtPriceX96']) / 2 ** 96;
  let liquidity = BigInt(String(pool['liquidity']));
  let gained = 0;
  const ahead = ticks.filter(({ index }) => index <= Number(pool['tick']) === zeroForOne);
  for (const { index, liquidityNet } of zeroForOne ? ahead.reverse() : ahead) {
    const end = Math.sqrt(1.0001) ** index;
    const stop = zeroForOne ? Math.max(goal, end) : Math.min(goal, end);
    if (zeroForOne ? stop < root : stop > root) {
      const [amount0, amount1] = [
        Number(liquidity) * Math.abs(1 / stop - 1 / root),
        Number(liquidity) * Math.abs(stop - root),
      ];
      const [input, output] = zeroForOne ? [amount0, amount1] : [amount1, amount0];
      gained += priceOut * output - (priceIn * input) / kept;
      root = stop;
    }
    if (stop === goal) break;
    liquidity += zeroForOne ? -BigInt(liquidityNet) : BigInt(liquidityNet);
  }
  return gained;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [market, certificate] = process.argv
    .slice(2, 4)
    .map((path) => JSON.parse(readFileSync(path, 'utf8')));
  const fault = refute(market, certificate);
  process.stdout.write(
    fault === undefined ? `proven: ${certificate.bound}\n` : `not proven: ${fault}\n`,
  );
  process.exitCode = fault === undefined ? 0 : 1;
}
