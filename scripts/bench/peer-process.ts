import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Market } from '../../reference/market/market.ts';
import type { Address } from '../../reference/planner/domain/address.ts';
import { curveOf, type Pool, swapExactInput } from '../../reference/planner/pools/families.ts';
import { tokensOf } from '../../reference/planner/pools/pool.ts';

/** A sale to plan. */
export type Trade = {
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly amountIn: bigint;
};

/**
 * Result of a planner, with its planning time. `bought` is undefined if the planner found no plan.
 */
export type Planned = { readonly ms: number; readonly bought: bigint | undefined };

/**
 * Plans trades in one market after another. `plan` returns undefined when a trade exceeds the time
 * limit.
 */
export type Planner = {
  readonly setMarket: (market: Market) => Promise<void> | void;
  readonly plan: (trade: Trade) => Promise<Planned | undefined> | Planned;
};

type Route = { readonly pools: readonly string[]; readonly amountIn: string };
type Response = { readonly ms: number; readonly routes: readonly Route[] };

const PEERS = new URL('peers/', import.meta.url);
const TRADE_TIMEOUT_MS = 10_000;
/** Longer than for a trade, because a new market may need a new process. */
const MARKET_TIMEOUT_MS = 120_000;

/** Returns whether the other routers are installed. */
export function arePeersInstalled(): boolean {
  return existsSync(new URL('node_modules/@pancakeswap/smart-router', PEERS));
}

/**
 * Returns a planner that uses a router of `peers/peer.mjs` in a separate process. It executes the
 * routes on the market's own pools, to the base unit.
 */
export function peerPlanner(peer: string): Planner & { readonly stop: () => void } {
  let child: ChildProcess | undefined;
  let market: Market | undefined;
  const request = (message: object, timeoutMs = TRADE_TIMEOUT_MS): Promise<Response | undefined> =>
    new Promise((resolve, reject) => {
      child ??= fork(new URL('peer.mjs', PEERS), { serialization: 'advanced', execArgv: [] });
      const used = child;
      const fail = (code: number | null) => reject(new Error(`${peer} ended, code ${code}`));
      const settled = () => {
        clearTimeout(timer);
        used.removeListener('exit', fail);
      };
      const timer = setTimeout(() => {
        settled();
        used.kill('SIGKILL');
        child = undefined;
        resolve(undefined);
      }, timeoutMs);
      used.once('exit', fail);
      used.once('message', (response: Response) => {
        settled();
        resolve(response);
      });
      used.send({ peer, ...message });
    });
  const setMarket = async (next: Market) => {
    market = next;
    const { pools, wrappedNative } = next;
    await request(
      { market: { tokens: [...next.tokens.values()], pools, wrappedNative } },
      MARKET_TIMEOUT_MS,
    );
  };
  return {
    setMarket,
    plan: async (trade) => {
      if (market === undefined) return undefined;
      if (child === undefined) await setMarket(market);
      const response = await request({ trade });
      return response && { ms: response.ms, bought: settle(market, trade, response.routes) };
    },
    stop: () => child?.kill(),
  };
}

/**
 * Executes routes in order. Returns undefined if they sell less than the trade, or if a pool cannot
 * take its amount.
 */
function settle(
  { pools }: Market,
  { sellToken, buyToken, amountIn }: Trade,
  routes: readonly Route[],
): bigint | undefined {
  const states = new Map<string, Pool>(pools.map((pool) => [pool.address, pool]));
  let [left, bought] = [amountIn, 0n];
  for (const [at, route] of routes.entries()) {
    // Routes' amounts are rounded down, so the last route takes the rest.
    let carried = at === routes.length - 1 ? left : BigInt(route.amountIn);
    left -= carried;
    let tokenIn = sellToken;
    for (const address of route.pools) {
      const pool = states.get(address);
      const tokenOut = pool && tokensOf(pool).find((token) => token !== tokenIn);
      if (pool === undefined || tokenOut === undefined || carried === 0n) return undefined;
      const direction = { pool, tokenIn, tokenOut };
      const { kind, amountOut } = swapExactInput(direction, carried);
      if (kind === 'exhausted') return undefined;
      states.set(address, curveOf(direction).afterExactInput(carried));
      [carried, tokenIn] = [amountOut, tokenOut];
    }
    if (tokenIn !== buyToken) return undefined;
    bought += carried;
  }
  return left === 0n && bought > 0n ? bought : undefined;
}
