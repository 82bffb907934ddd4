import type { RouterEncoders } from '../encoding/encoders.ts';
import type { Market } from '../market/market.ts';
import { parseAddress } from '../planner/domain/address.ts';
import type { RoutingPlan } from '../planner/graph/plan.ts';
import type { Planner } from '../planner/planner.ts';
import type { ConstantProductPool } from '../planner/pools/constant-product.ts';

/** Returns the address that ends in `digits`. */
export const at = (digits: string) => parseAddress(`0x${digits.padStart(40, 'a')}`);

export const WETH = at('01');
export const USD = at('02');
/** A token that no pool trades. */
export const LONER = at('03');
export const USER = at('11');
export const RECIPIENT = at('12');
export const ROUTER = at('21');
export const PROXY = at('22');

const token = (address: Market['usdToken'], symbol: string, decimals: number) => ({
  address,
  name: `${symbol} coin`,
  symbol,
  decimals,
  logoURI: `https://logo.test/${symbol}.svg`,
});

const pool: ConstantProductPool = {
  family: 'constant-product',
  address: at('31'),
  source: 'uniswap-v2',
  token0: WETH,
  token1: USD,
  feePips: 3000,
  reserve0: 1_000n * 10n ** 18n,
  reserve1: 2_000_000n * 10n ** 6n,
};

/**
 * One pool of 1000 WETH and 2,000,000 USD, a token that no pool trades, and two routers: one with
 * an encoder, one without.
 */
export const SMALL_MARKET: Market = {
  chainId: 31337,
  name: 'Smallville',
  block: { number: 7, timestamp: 1_700_000_000, hash: `0x${'7'.repeat(64)}` },
  usdToken: USD,
  wrappedNative: WETH,
  tokens: new Map(
    [token(WETH, 'WETH', 18), token(USD, 'USD₮', 6), token(LONER, 'LONE', 0)].map((entry) => [
      entry.address,
      entry,
    ]),
  ),
  pools: [pool],
  routers: [
    { name: 'universal-router', address: ROUTER, tokenProxy: PROXY, sources: ['uniswap-v2'] },
    { name: 'default-router', address: at('23'), sources: ['uniswap-v2'] },
  ],
};

/**
 * Buys two base units for each base unit sold. Selling 999 exceeds the liquidity, selling 998 buys
 * nothing, and no path leads to LONER.
 */
export const doublePlanner: Planner<RoutingPlan> = (
  _market,
  { sellToken, buyToken, swapKind, amount },
) => {
  const [sellAmount, buyAmount] =
    swapKind === 'exact-input' ? [amount, amount * 2n] : [(amount + 1n) / 2n, amount];
  if (buyToken === LONER) return { kind: 'no-route', reason: 'disconnected' };
  if (sellAmount === 999n) return { kind: 'no-route', reason: 'insufficient-liquidity' };
  if (sellAmount === 998n) return { kind: 'no-route', reason: 'dust' };
  return {
    kind: 'plan',
    swapKind,
    sellToken,
    buyToken,
    sellAmount,
    buyAmount,
    swaps: [
      { pool, tokenIn: sellToken, tokenOut: buyToken, amountIn: sellAmount, amountOut: buyAmount },
    ],
  };
};

/** An encoder for `universal-router` whose calldata contains the options in readable form. */
export const readableEncoders: RouterEncoders = {
  'universal-router': {
    topology: 'paths',
    settles: () => true,
    encode: (_plan, { user, recipient, slippageBps, deadline, sellNative, buyNative }) => {
      const parts = {
        user,
        recipient,
        slippageBps,
        deadline: String(deadline),
        sellNative,
        buyNative,
      };
      return {
        calldata: `0x${Buffer.from(JSON.stringify(parts)).toString('hex')}`,
        gasLimit: 210_000n,
      };
    },
  },
};

/** A key that must be encoded in a query. */
export const KEY = 'k3y/with space';

/**
 * Returns a query that sells 1000 base units of WETH for USD. A change to undefined omits a
 * parameter.
 */
export function swapQuery(changes: Readonly<Record<string, string | undefined>> = {}) {
  const sale = { chainId: '31337', sellToken: WETH, buyToken: USD, sellAmount: '1000' };
  const parameters = Object.entries({ ...sale, apiKey: KEY, ...changes });
  return new URLSearchParams(parameters.filter((entry): entry is [string, string] => !!entry[1]));
}

/** Parameters that request calldata. */
export const CALLDATA = {
  router: 'universal-router',
  includeCalldata: 'true',
  userAddress: USER,
  slippageTolerance: '0.005',
};
