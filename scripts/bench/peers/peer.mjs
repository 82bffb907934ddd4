import { createRequire } from 'node:module';

/*
 * Runs another router in a separate process, which routing-peers.ts starts. The process receives a
 * market and then trades. For each trade, it returns the planning time and the routes. The planning
 * time excludes conversion of the market to the router's objects.
 */

// One router prints a warning for each address without a checksum, thousands in total.
console.warn = () => {};

// Node cannot import the ES modules of some routers.
const require = createRequire(import.meta.url);
const {
  CurrencyAmount: PancakeAmount,
  ERC20Token,
  Percent,
  TradeType,
  WNATIVE,
} = require('@pancakeswap/sdk');
const { InfinityRouter, PoolType } = require('@pancakeswap/smart-router');
const { Tick } = require('@pancakeswap/v3-sdk');
const { CurrencyAmount, Token } = require('@uniswap/sdk-core');
const { Pair, Trade } = require('@uniswap/v2-sdk');

const CHAIN = 1;
const NONE = new Percent(0, 100);
/** Maximum number of hops, the default of both routers. */
const MAX_HOPS = 3;

/** Converts the tokens and pools of a market to Pancake's objects. */
function pancake({ tokens, pools, wrappedNative }) {
  const known = new Map(
    tokens.map(({ address, decimals }) => [
      address,
      new ERC20Token(CHAIN, address, decimals, address.slice(-6)),
    ]),
  );
  // The router requires a gas price, even if gas costs nothing.
  WNATIVE[CHAIN] = known.get(wrappedNative);
  const amount = (token, units) => PancakeAmount.fromRawAmount(known.get(token), units);
  const candidatePools = pools.map((pool) => {
    const { address, token0, token1, feePips } = pool;
    if (pool.family === 'constant-product') {
      return {
        type: PoolType.V2,
        address,
        reserve0: amount(token0, pool.reserve0),
        reserve1: amount(token1, pool.reserve1),
      };
    }
    const [root, liquidity] = [BigInt(pool.sqrtPriceX96), BigInt(pool.liquidity)];
    return {
      type: PoolType.V3,
      address,
      token0: known.get(token0),
      token1: known.get(token1),
      fee: feePips,
      liquidity,
      sqrtRatioX96: root,
      tick: pool.tick,
      token0ProtocolFee: NONE,
      token1ProtocolFee: NONE,
      ticks: pool.ticks.map((tick) => new Tick(tick)),
      // The router reads prices from these virtual reserves.
      reserve0: amount(token0, (liquidity << 96n) / root),
      reserve1: amount(token1, (liquidity * root) >> 96n),
    };
  });
  return {
    plan: ({ sellToken, buyToken, amountIn }) =>
      InfinityRouter.getBestTrade(
        amount(sellToken, amountIn),
        known.get(buyToken),
        TradeType.EXACT_INPUT,
        { candidatePools, gasPriceWei: 0n, maxHops: MAX_HOPS },
      ),
    routesOf: (trade) =>
      (trade?.routes ?? []).map((route) => ({
        pools: route.pools.map(({ address }) => address),
        amountIn: `${route.inputAmount.quotient}`,
      })),
  };
}

/** Converts the pairs of a market to Uniswap's objects. */
function uniswap({ tokens, pools }) {
  const known = new Map(
    tokens.map(({ address, decimals }) => [address, new Token(CHAIN, address, decimals)]),
  );
  const amount = (token, units) => CurrencyAmount.fromRawAmount(known.get(token), `${units}`);
  const addressOf = new Map();
  for (const { family, address, token0, token1, reserve0, reserve1 } of pools) {
    if (family !== 'constant-product') continue;
    addressOf.set(new Pair(amount(token0, reserve0), amount(token1, reserve1)), address);
  }
  const pairs = [...addressOf.keys()];
  return {
    plan: ({ sellToken, buyToken, amountIn }) =>
      Trade.bestTradeExactIn(pairs, amount(sellToken, amountIn), known.get(buyToken), {
        maxNumResults: 1,
        maxHops: MAX_HOPS,
      })[0],
    routesOf: (trade) =>
      trade === undefined
        ? []
        : [
            {
              pools: trade.route.pairs.map((pair) => addressOf.get(pair)),
              amountIn: `${trade.inputAmount.quotient}`,
            },
          ],
  };
}

const PEERS = { pancake, uniswap };
let planner;

process.on('message', async ({ peer, market, trade }) => {
  if (market !== undefined) {
    planner = PEERS[peer](market);
    process.send({});
    return;
  }
  const start = performance.now();
  let found;
  try {
    found = await planner.plan(trade);
  } catch {
    // The router throws if it finds no route.
  }
  const ms = performance.now() - start;
  process.send({ ms, routes: planner.routesOf(found) });
});
