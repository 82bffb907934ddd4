import type { CommanderError } from 'commander';
import { type ResolvedRouter, resolveRouters } from '../encoding/encoders.ts';
import type { Market } from '../market/market.ts';
import { parseMarket } from '../market/parse-market.ts';
import { readFileText, UnreadableFileError } from '../market/read-file.ts';
import type { Address } from '../planner/domain/address.ts';
import { MarketFileError } from '../planner/domain/market-file-error.ts';
import type { RoutingRequest, SwapAmount } from '../planner/graph/plan.ts';
import { MAX_GAS_PRICE_WEI } from '../planner/prices/gas-cost.ts';
import { AMOUNT } from '../server/parameters.ts';
import { usageError } from './usage-error.ts';

/** Options of `swapcheck route`, parsed by commander. */
export type RouteFlags = {
  readonly market: string;
  readonly sell: string;
  readonly buy: string;
  readonly sellAmount?: string;
  readonly buyAmount?: string;
  readonly router: string;
  readonly gasPrice?: string;
  readonly format: 'text' | 'json' | 'svg';
  readonly certificate?: boolean;
  readonly maxSolutions?: string;
};

/** A trade to plan. */
type RouteTask = {
  readonly market: Market;
  readonly router: ResolvedRouter;
  readonly request: RoutingRequest;
};

/**
 * Returns the task that the flags describe.
 *
 * @throws {CommanderError} if a flag's value is invalid
 */
export function parseRouteFlags(flags: RouteFlags): RouteTask {
  if (flags.certificate && flags.format === 'svg') {
    throw wrong('--format', flags.format, 'expected text or json with --certificate');
  }
  const market = readMarket(flags.market);
  const routers = resolveRouters(market);
  const router = routers.find(({ name }) => name === flags.router);
  if (router === undefined) {
    const names = routers.map(({ name }) => name).join(', ');
    throw wrong('--router', flags.router, `expected a router of the market: ${names}`);
  }
  const sellToken = findToken(market, '--sell', flags.sell);
  const buyToken = findToken(market, '--buy', flags.buy);
  if (sellToken === buyToken) {
    throw wrong('--buy', flags.buy, 'expected a token other than --sell');
  }
  const { constraints } = router;
  const gasPrice = flags.gasPrice === undefined ? {} : parseGasPrice(flags.gasPrice);
  const request = {
    sellToken,
    buyToken,
    ...parseAmounts(flags),
    constraints,
    ...gasPrice,
    maxSolutions: parseMaxSolutions(flags),
  };
  return { market, router, request };
}

function readMarket(path: string): Market {
  try {
    return parseMarket(JSON.parse(readFileText(path)));
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof UnreadableFileError) {
      throw wrong('--market', path, `expected a file that can be read (${message})`);
    }
    if (error instanceof SyntaxError) {
      throw wrong('--market', path, `expected JSON (${message})`);
    }
    if (error instanceof MarketFileError) throw wrong('--market', path, message);
    throw error;
  }
}

function findToken({ tokens }: Market, flag: string, text: string): Address {
  const byAddress = [...tokens.keys()].find((address) => address === text.toLowerCase());
  if (byAddress !== undefined) return byAddress;
  const [found, another] = [...tokens.values()].filter(({ symbol }) => symbol === text);
  if (found === undefined) {
    throw wrong(flag, text, 'expected the address or symbol of a token of the market');
  }
  if (another !== undefined) {
    throw wrong(flag, text, 'several tokens have this symbol: pass an address');
  }
  return found.address;
}

function parseAmounts({ sellAmount, buyAmount }: RouteFlags): SwapAmount {
  if (sellAmount !== undefined && buyAmount === undefined) {
    return { swapKind: 'exact-input', amount: parseAmount('--sell-amount', sellAmount) };
  }
  if (buyAmount !== undefined && sellAmount === undefined) {
    return { swapKind: 'exact-output', amount: parseAmount('--buy-amount', buyAmount) };
  }
  const given = sellAmount === undefined ? 'neither' : 'both';
  throw usageError(`expected exactly one of --sell-amount and --buy-amount, got ${given}`);
}

function parseAmount(flag: string, text: string): bigint {
  const amount = AMOUNT.parse(text);
  if (amount === undefined) throw wrong(flag, text, `expected ${AMOUNT.expected}`);
  return amount;
}

function parseGasPrice(text: string): Pick<RoutingRequest, 'gasPriceWei'> {
  const gasPriceWei = /^(0|[1-9][0-9]{0,21})$/.test(text) ? BigInt(text) : undefined;
  if (gasPriceWei === undefined || gasPriceWei > MAX_GAS_PRICE_WEI) {
    const expected = `expected whole wei up to ${MAX_GAS_PRICE_WEI}, such as 1000000000, which is 1 gwei, or 0`;
    throw wrong('--gas-price', text, expected);
  }
  return { gasPriceWei };
}

/** A service stops its search earlier, because other callers are waiting. */
const DEFAULT_MAX_SOLUTIONS = 4096;

function parseMaxSolutions({ maxSolutions }: RouteFlags): number {
  if (maxSolutions === undefined) return DEFAULT_MAX_SOLUTIONS;
  if (/^[1-9][0-9]{0,5}$/.test(maxSolutions)) return Number(maxSolutions);
  throw wrong('--max-solutions', maxSolutions, 'expected a whole number from 1 to 999999');
}

/** Returns the error for a flag with an invalid value. The message names the flag and the value. */
function wrong(flag: string, value: string, expected: string): CommanderError {
  return usageError(`${flag} '${value}': ${expected}`);
}
