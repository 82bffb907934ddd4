import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/*
 * npx tsx scripts/certificate/verify-certificate.ts MARKET.json CERTIFICATE.json: reports whether
 * the prices in a certificate (`swapcheck route --certificate`) prove its bound. The proof uses
 * weak duality. At these prices, trade with every pool separately until further trade gains
 * nothing. No plan yields more than the sum of these gains plus the value of the amount sold.
 * Shares no code with the planner.
 */

type Pool = {
  readonly family: string;
  readonly source: string;
  readonly [field: string]: unknown;
};

type MarketJson = {
  readonly tokens: readonly { readonly address: string; readonly decimals: number }[];
  /** Tokens that the planner does not trade. */
  readonly feeOnTransfer?: readonly string[];
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
  /**
   * Upper bound on the amount bought, or, with exact output, lower bound on the amount sold. In
   * base units.
   */
  readonly bound: number;
  /** Bound on acyclic plans, found by branch and bound. It is not checked here. */
  readonly acyclicBound: number;
  /** Price of a base unit of each token, in base units of the buy token. */
  readonly prices: Readonly<Record<string, number>>;
};

const BOUND_ERROR = 1e-9;

/**
 * Returns the reason why a certificate is rejected; undefined if its prices prove its bound and its
 * plan respects the bound.
 */
export function refute(market: MarketJson, certificate: CertificateJson): string | undefined {
  const { prices, sellToken, buyToken, bound, trade } = certificate;
  const sources = market.routers.find(({ name }) => name === certificate.router)?.sources ?? [];
  const pools = market.pools
    .filter(({ source }) => sources.includes(source))
    .filter((pool) => !tokensOf(pool).some((token) => market.feeOnTransfer?.includes(token)));
  const decimals = new Map(market.tokens.map((token) => [token.address, token.decimals]));
  const priceOf = (token: string) => prices[token] ?? 0;
  const unknown = pools.find(({ family }) => !(family in GAINS));
  if (unknown !== undefined) return `no formula for pools of the family ${unknown.family}`;
  if (priceOf(buyToken) !== 1) return 'the price of the buy token is not 1';
  if (!Object.values(prices).every((price) => price > 0 && Number.isFinite(price))) {
    return 'a price is not above 0';
  }
  const detour = unpricedDetour(pools, prices);
  if (detour !== undefined) return `no price for ${detour}, which is on a path`;
  let gains = 0;
  for (const pool of pools) {
    const priced = tokensOf(pool).filter((token) => priceOf(token) > 0);
    for (const tokenIn of priced) {
      for (const tokenOut of priced) {
        // No plan sells the buy token or buys the sell token.
        if (tokenIn === tokenOut || tokenIn === buyToken || tokenOut === sellToken) continue;
        const trade = { tokenIn, tokenOut, priceIn: priceOf(tokenIn), priceOut: priceOf(tokenOut) };
        gains += GAINS[pool.family]?.(pool, trade, decimals) ?? Number.POSITIVE_INFINITY;
      }
    }
  }
  const [sold, bought] = [Number(certificate.sellAmount), Number(certificate.buyAmount)];
  const price = priceOf(sellToken);
  if (trade === 'exact-input') {
    const max = sold * price + gains;
    if (bound < max * (1 - BOUND_ERROR)) return `the prices prove at most ${max}, not ${bound}`;
    return bought > bound * (1 + BOUND_ERROR) ? 'the plan buys more than the bound' : undefined;
  }
  // A plan never sells a negative amount.
  const min = Math.max(0, (bought - gains) / price);
  if (bound > min * (1 + BOUND_ERROR)) return `the prices prove at least ${min}, not ${bound}`;
  return sold < bound * (1 - BOUND_ERROR) ? 'the plan sells less than the bound' : undefined;
}

/**
 * Returns a token that may lie on a path but has no price. Unpriced tokens that connect to only one
 * priced token are on no path.
 */
function unpricedDetour(
  pools: readonly Pool[],
  prices: CertificateJson['prices'],
): string | undefined {
  const seen = new Set<string>();
  for (const start of pools.flatMap(tokensOf)) {
    if (start in prices || seen.has(start)) continue;
    const exits = new Set<string>();
    const part = new Set([start]);
    for (const token of part) {
      seen.add(token);
      for (const traded of pools.map(tokensOf).filter((each) => each.includes(token))) {
        for (const next of traded) if (next !== token) (next in prices ? exits : part).add(next);
      }
    }
    if (exits.size > 1) return start;
  }
  return undefined;
}

function tokensOf(pool: Pool): readonly string[] {
  return (pool['tokens'] ?? [pool['token0'], pool['token1']]) as readonly string[];
}

type Trade = {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly priceIn: number;
  readonly priceOut: number;
};

type Gain = (pool: Pool, trade: Trade, decimals: ReadonlyMap<string, number>) => number;

const GAINS: Readonly<Record<string, Gain>> = {
  'constant-product': gainOfPair,
  concentrated: gainOfRanges,
  singleton: gainOfRanges,
  weighted: gainOfWeighted,
  stable: gainOfStable,
};

function gainOfPair(pool: Pool, { tokenIn, priceIn, priceOut }: Trade): number {
  const feeFactor = 1 - Number(pool['feePips']) / 1e6;
  const [reserve0, reserve1] = [Number(pool['reserve0']), Number(pool['reserve1'])];
  const zeroForOne = tokenIn === pool['token0'];
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0];
  // Value of the best output less the value of its input, written as a square to avoid loss of
  // precision.
  const edge = Math.sqrt(priceOut * reserveOut) - Math.sqrt((priceIn * reserveIn) / feeFactor);
  return Math.max(0, edge) ** 2;
}

/**
 * The product of `balance ^ weight` over both tokens is constant. A swap moves at most 30% of
 * either balance.
 */
function gainOfWeighted(pool: Pool, { tokenIn, tokenOut, priceIn, priceOut }: Trade): number {
  const at = (field: string, token: string) =>
    Number((pool[field] as readonly string[])[tokensOf(pool).indexOf(token)]);
  const [balanceIn, balanceOut] = [at('balances', tokenIn), at('balances', tokenOut)];
  const power = at('weights', tokenIn) / at('weights', tokenOut);
  const feeFactor = 1 - Number(pool['swapFee']) / 1e18;
  // Growth of the logarithm of the balance until the marginal rate equals the ratio of the prices.
  const rateRatio = (priceOut * balanceOut * power * feeFactor) / (priceIn * balanceIn);
  const growth = Math.min(Math.log(rateRatio) / (power + 1), Math.log(1.3), -Math.log(0.7) / power);
  if (!(growth > 0)) return 0;
  return (
    priceOut * balanceOut * -Math.expm1(-power * growth) -
    (priceIn * balanceIn * Math.expm1(growth)) / feeFactor
  );
}

/**
 * The invariant D satisfies `A n S + D = A n D + D^(n+1) / (n^n P)`, with balances in whole tokens.
 */
function gainOfStable(
  pool: Pool,
  { tokenIn, tokenOut, priceIn, priceOut }: Trade,
  decimals: ReadonlyMap<string, number>,
): number {
  const tokens = tokensOf(pool);
  const unit = (token: string) => 10 ** (decimals.get(token) ?? 0);
  const balances = (pool['balances'] as readonly string[]).map(
    (text, i) => Number(text) / unit(tokens[i] ?? ''),
  );
  const slope = (Number(pool['amplification']) / 1000) * balances.length;
  const feeFactor = 1 - Number(pool['swapFee']) / 1e18;
  const [indexIn, indexOut] = [tokens.indexOf(tokenIn), tokens.indexOf(tokenOut)];
  const [startIn, startOut] = [balances[indexIn] ?? 0, balances[indexOut] ?? 0];
  const others = balances.filter((_, i) => i !== indexIn && i !== indexOut);
  const sum = others.reduce((a, b) => a + b, 0);
  const invariant = invariantOf(balances, slope);
  const whole = others.reduce((term, x) => (term * invariant) / (x * balances.length), invariant);
  const stateAt = (balanceIn: number) => {
    const c = (whole * invariant * invariant) / (balanceIn * balances.length ** 2 * slope);
    const b = sum + balanceIn + invariant / slope - invariant;
    const balanceOut = (Math.sqrt(b * b + 4 * c) - b) / 2;
    const tension = (c * slope) / balanceOut;
    const price = (slope + tension / balanceIn) / (slope + tension / balanceOut);
    return { balanceOut, price };
  };
  const minRate = (priceIn * unit(tokenIn)) / (priceOut * unit(tokenOut) * feeFactor);
  let low = startIn;
  let high = startIn * 2 ** 20;
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (stateAt(middle).price > minRate) low = middle;
    else high = middle;
  }
  const gained = startOut - stateAt(low).balanceOut;
  if (low === startIn || !(gained > 0)) return 0;
  return (
    priceOut * unit(tokenOut) * gained - (priceIn * unit(tokenIn) * (low - startIn)) / feeFactor
  );
}

function invariantOf(balances: readonly number[], slope: number): number {
  const n = balances.length;
  const sum = balances.reduce((a, b) => a + b, 0);
  let invariant = sum;
  for (let step = 0; step < 100; step++) {
    const term = balances.reduce((product, x) => (product * invariant) / (x * n), invariant);
    invariant = ((slope * sum + n * term) * invariant) / ((slope - 1) * invariant + (n + 1) * term);
  }
  return invariant;
}

function gainOfRanges(pool: Pool, { tokenIn, priceIn, priceOut }: Trade): number {
  const zeroForOne = tokenIn === pool['token0'];
  // The protocol fee, with 12 bits per direction, is taken first. Both fees together are a whole
  // number of millionths.
  const protocol = (Number(pool['protocolFee'] ?? 0) >> (zeroForOne ? 0 : 12)) & 0xfff;
  const own = Number(pool['feePips']);
  const feeFactor = 1 - (protocol + own - Math.floor((protocol * own) / 1e6)) / 1e6;
  // Square root of the price (token1 per token0) at which the marginal rate equals the ratio of the
  // tokens' prices.
  const goal = zeroForOne
    ? Math.sqrt(priceIn / (priceOut * feeFactor))
    : Math.sqrt((priceOut * feeFactor) / priceIn);
  const ticks = pool['ticks'] as readonly {
    readonly index: number;
    readonly liquidityNet: string;
  }[];
  let root = Number(pool['sqrtPriceX96']) / 2 ** 96;
  let liquidity = BigInt(String(pool['liquidity']));
  let gained = 0;
  const ahead = ticks.filter(({ index }) => index <= Number(pool['tick']) === zeroForOne);
  for (const { index, liquidityNet } of zeroForOne ? ahead.reverse() : ahead) {
    const end = Math.exp((Math.log1p(0.0001) / 2) * index);
    const stop = zeroForOne ? Math.max(goal, end) : Math.min(goal, end);
    if (zeroForOne ? stop < root : stop > root) {
      // Gain per change of the root. For small changes, a difference of amounts would lose
      // precision by cancellation.
      const gainPerRoot = zeroForOne
        ? priceOut * (1 - (goal * goal) / (stop * root))
        : (priceIn / feeFactor) * ((goal * goal) / (stop * root) - 1);
      gained += Number(liquidity) * Math.abs(stop - root) * gainPerRoot;
      root = stop;
    }
    if (stop === goal) break;
    liquidity += zeroForOne ? -BigInt(liquidityNet) : BigInt(liquidityNet);
  }
  return gained;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const [market, certificate] = process.argv.slice(2, 4).map(readJson);
    if (certificate === undefined) throw new Error('expected MARKET.json CERTIFICATE.json');
    const fault = refute(market, certificate);
    process.stdout.write(
      fault === undefined ? `proven: ${certificate.bound}\n` : `not proven: ${fault}\n`,
    );
    process.exitCode = fault === undefined ? 0 : 1;
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 2;
  }
}

function readJson(path: string) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new Error(`${path} is not a JSON file: ${cause}`);
  }
}
