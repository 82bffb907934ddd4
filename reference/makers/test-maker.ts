import type { Market } from '../market/market.ts';
import { type Address, parseAddress } from '../planner/domain/address.ts';
import { createPlanner, type Planner } from '../planner/planner.ts';
import type { MakerOrder } from '../planner/pools/maker-order.ts';
import { usdPrices } from '../planner/prices/usd-prices.ts';
import { ANYONE, type Maker, type QuoteRequest, type SignedOrder } from './maker.ts';
import { signOrder } from './sign-order.ts';

/**
 * Account of the test maker: the first account of Anvil's mnemonic that Anvil does not list. It
 * holds tokens on the fixture chains.
 */
export const TEST_MAKER: Address = parseAddress('0xbcd4042de499d14e55001ccbb24a551f3b954096');
const TEST_MAKER_KEY = '0xf214f2b2cd398c806f84e317254e0f0b801d0643303237d97a22a48e01628897';

/** Twenty years, because the block of a frozen chain may be far in the past. */
const VALIDITY_S = 20 * 365 * 86_400;
const CHAINS = [31337, 31338];

const FIRST_LEVEL_USD = 2_000;

/**
 * For each level, the input relative to the first level, and the discount in thousandths of the
 * loss on a round trip through pools. Each discount is less than half of the loss, so that no round
 * trip with the maker is profitable.
 */
const LEVELS = [
  { times: 1n, perMille: 450n },
  { times: 4n, perMille: 300n },
  { times: 16n, perMille: 150n },
] as const;

/**
 * Returns the makers on the fixture chains. Their prices are slightly better than the pools'
 * prices, and depend only on the pair and the block.
 */
export function testMakers(): readonly Maker[] {
  return CHAINS.map((chainId) => {
    const planner = createPlanner();
    let market: Market | undefined;
    let ladders = new Map<string, Promise<readonly SignedOrder[]>>();
    return {
      chainId,
      quote: (request, current) => {
        if (market !== current) ladders = new Map();
        market = current;
        const pair = `${request.sellToken} ${request.buyToken}`;
        const orders = ladders.get(pair) ?? signLadder(planner, request, current);
        ladders.set(pair, orders);
        return orders;
      },
    };
  });
}

async function signLadder(
  planner: Planner,
  { sellToken, buyToken }: QuoteRequest,
  market: Market,
): Promise<readonly SignedOrder[]> {
  const { chainId, makerOrders, block } = market;
  const unit = firstLevel(market, sellToken);
  const there = plannedOutput(planner, market, sellToken, buyToken, unit);
  const back = plannedOutput(planner, market, buyToken, sellToken, there);
  if (makerOrders === undefined || back === 0n || back >= unit) return [];
  const signed: SignedOrder[] = [];
  for (const [level, { times, perMille }] of LEVELS.entries()) {
    const order: MakerOrder = {
      maker: TEST_MAKER,
      taker: ANYONE,
      makerToken: buyToken,
      takerToken: sellToken,
      makerAmount: (there * times * (unit * perMille + back * (1000n - perMille))) / (back * 1000n),
      takerAmount: unit * times,
      expiry: BigInt(block.timestamp + VALIDITY_S),
      salt: BigInt(block.number * LEVELS.length + level),
    };
    const signature = await signOrder({ chainId, makerOrders }, order, TEST_MAKER_KEY);
    signed.push({ order, signature });
    // Signing takes milliseconds, so the service handles other requests in between.
    await new Promise(setImmediate);
  }
  return signed;
}

function firstLevel(market: Market, token: Address): bigint {
  const price = usdPrices(market).get(token) ?? 0;
  const decimals = market.tokens.get(token)?.decimals ?? 0;
  return price > 0 ? BigInt(Math.floor((FIRST_LEVEL_USD / price) * 10 ** decimals)) : 0n;
}

function plannedOutput(
  planner: Planner,
  market: Market,
  sellToken: Address,
  buyToken: Address,
  amount: bigint,
): bigint {
  if (amount === 0n) return 0n;
  const request = { sellToken, buyToken, swapKind: 'exact-input', amount } as const;
  const sources = new Set(market.pools.map(({ source }) => source));
  const constraints = { sources, topology: 'graph' } as const;
  const plan = planner(market, { ...request, constraints, gasPriceWei: 0n });
  return plan.kind === 'plan' ? plan.buyAmount : 0n;
}
