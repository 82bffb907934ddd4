import type { Address } from '../domain/address.ts';
import { keptWith } from '../domain/kept-with.ts';
import { rememberLast } from '../domain/remember-last.ts';
import type { PoolMarket } from './pool-market.ts';
import { usdPrices } from './usd-prices.ts';

/** No gas costs more: a thousand native a unit. */
export const MAX_GAS_PRICE_WEI = 10n ** 21n;

/** What gas costs in base units of a token: the whole numbers whose ratio is that of one unit of gas. */
export type GasCost = { readonly numerator: bigint; readonly denominator: bigint };

/**
 * Returns what a unit of gas costs in a token, at the market's mid prices;
 * `undefined` where the market has no price of the token or of native.
 */
export function gasCostIn(
  market: PoolMarket,
  token: Address,
  gasPriceWei: bigint,
): GasCost | undefined {
  const known = costsIn(market)(gasPriceWei);
  if (known.has(token)) return known.get(token);
  const cost = ratioOfCost(market, token, gasPriceWei);
  if (market.tokens.has(token)) known.set(token, cost);
  return cost;
}

/** Of each token, at the gas price that was asked for last. */
const costsIn = keptWith((_: PoolMarket) =>
  rememberLast((_gasPriceWei: bigint) => new Map<Address, GasCost | undefined>()),
);

function ratioOfCost(market: PoolMarket, token: Address, gasPriceWei: bigint): GasCost | undefined {
  if (token === market.wrappedNative) return { numerator: gasPriceWei, denominator: 1n };
  const [native, other] = [market.wrappedNative, token].map((each) => ({
    ...ratioOf(usdPrices(market).get(each) ?? 0),
    unit: 10n ** BigInt(market.tokens.get(each)?.decimals ?? 0),
  }));
  if (!native?.numerator || !other?.numerator) return undefined;
  return {
    numerator: gasPriceWei * native.numerator * other.denominator * other.unit,
    denominator: native.denominator * native.unit * other.numerator,
  };
}

/**
 * Returns what so much gas costs, in base units, rounded up: against the plan.
 *
 * @example
 * costOfGas({ numerator: 3n, denominator: 2n }, 5n) // 8n
 */
export function costOfGas({ numerator, denominator }: GasCost, gas: bigint): bigint {
  return (gas * numerator + denominator - 1n) / denominator;
}

/** Returns the whole numbers whose ratio a float is, exactly. */
function ratioOf(value: number): GasCost {
  let [whole, halvings] = [Number.isFinite(value) ? value : 0, 0];
  for (; !Number.isInteger(whole); halvings++) whole *= 2;
  return { numerator: BigInt(whole), denominator: 1n << BigInt(halvings) };
}
