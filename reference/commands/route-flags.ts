import type { Address } from '../domain/address.ts';
import { resolveRouters } from '../encoding/encoders.ts';
import type { Market, RouterDeployment } from '../market/market.ts';
import { MarketFileError } from '../market/market-file-error.ts';
import { parseMarket } from '../market/parse-market.ts';
import type { RoutingRequest, SwapAmount } from '../routing/plan.ts';
import { UsageError } from './usage-error.ts';

/** What commander reads for `swapcheck route`. */
export type RouteFlags = {
  readonly market: string;
  readonly sell: string;
  readonly buy: string;
  readonly sellAmount?: string;
  readonly buyAmount?: string;
  readonly router: string;
  readonly format: 'text' | 'json';
};

/** What `swapcheck route` is to plan. */
export type RouteTask = {
  readonly market: Market;
  readonly router: RouterDeployment;
  readonly request: RoutingRequest;
};

/**
 * Returns what the flags ask for. `marketText` is the content of the market file.
 *
 * @throws {UsageError} if a flag's value is not what is expected
 */
export function parseRouteFlags(flags: RouteFlags, marketText: string): RouteTask {
  const market = parseMarketText(flags.market, marketText);
  const routers = resolveRouters(market);
  const router = routers.find(({ name }) => name === flags.router);
  if (router === undefined) {
    const names = routers.map(({ name }) => name).join(', ');
    throw new UsageError(`--router '${flags.router}': expected a router of the market: ${names}`);
  }
  const sellToken = findToken(market, '--sell', flags.sell);
  const buyToken = findToken(market, '--buy', flags.buy);
  if (sellToken === buyToken) {
    throw new UsageError(`--buy '${flags.buy}': expected another token than --sell`);
  }
  const { constraints } = router;
  return { market, router, request: { sellToken, buyToken, ...parseAmounts(flags), constraints } };
}

function parseMarketText(path: string, text: string): Market {
  try {
    return parseMarket(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new UsageError(`--market '${path}': expected JSON (${error.message})`);
    }
    if (error instanceof MarketFileError)
      throw new UsageError(`--market '${path}': ${error.message}`);
    throw error;
  }
}

function findToken({ tokens }: Market, flag: string, text: string): Address {
  const byAddress = [...tokens.keys()].find((address) => address === text.toLowerCase());
  if (byAddress !== undefined) return byAddress;
  const named = [...tokens.values()].filter(({ symbol }) => symbol === text);
  const found = named[0];
  if (found === undefined) {
    throw new UsageError(
      `${flag} '${text}': expected the address or symbol of a token of the market`,
    );
  }
  if (named.length > 1) {
    throw new UsageError(
      `${flag} '${text}': ${named.length} tokens have this symbol, give an address`,
    );
  }
  return found.address;
}

const MAX_UINT256 = (1n << 256n) - 1n;

function parseAmounts({ sellAmount, buyAmount }: RouteFlags): SwapAmount {
  if (sellAmount !== undefined && buyAmount === undefined) {
    return { swapKind: 'exact-input', amount: parseAmount('--sell-amount', sellAmount) };
  }
  if (buyAmount !== undefined && sellAmount === undefined) {
    return { swapKind: 'exact-output', amount: parseAmount('--buy-amount', buyAmount) };
  }
  const given = sellAmount === undefined ? 'neither' : 'both';
  throw new UsageError(`expected exactly one of --sell-amount and --buy-amount, got ${given}`);
}

function parseAmount(flag: string, text: string): bigint {
  const amount = /^[1-9][0-9]{0,77}$/.test(text) ? BigInt(text) : undefined;
  if (amount === undefined || amount > MAX_UINT256) {
    throw new UsageError(
      `${flag} '${text}': expected a whole number of base units from 1 to 2^256 - 1`,
    );
  }
  return amount;
}
