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

/** What a planner found, and how long that took; `undefined` bought where it found nothing. */
export type Planned = { readonly ms: number; readonly bought: bigint | undefined };

/** A router that plans trades in one market after another; it answers `undefined` once it has taken too long. */
export type Planner = {
  readonly setMarket: (market: Market) => Promise<void> | void;
  readonly plan: (trade: Trade) => Promise<Planned | undefined> | Planned;
};

type Route = { readonly pools: readonly string[]; readonly amountIn: string };
type Answer = { readonly ms: number; readonly routes: readonly Route[] };

const PEERS = new URL('peers/', import.meta.url);
/** Of a trade; one that takes longer is given up, and its process ended. Of a market, which a process is started for. */
const PATIENCE_MS = 10_000;
const MARKET_PATIENCE_MS = 120_000;

/** Tells whether the routers of others are installed. */
export function arePeersInstalled(): boolean {
  return existsSync(new URL('node_modules/@pancakeswap/smart-router', PEERS));
}

/** Returns a router of `peers/peer.mjs` in a process of its own. What it finds is sold to the market's own pools, to the base unit. */
export function peerPlanner(peer: string): Planner & { readonly stop: () => void } {
  let child: ChildProcess | undefined;
  let market: Market | undefined;
  const ask = (message: object, patienceMs = PATIENCE_MS): Promise<Answer | undefined> =>
    new Promise((resolve, reject) => {
      child ??= fork(new URL('peer.mjs', PEERS), { serialization: 'advanced', execArgv: [] });
      const asked = child;
      const fail = (code: number | null) => reject(new Error(`${peer} ended, code ${code}`));
      const settled = () => {
        clearTimeout(timer);
        asked.removeListener('exit', fail);
      };
      const timer = setTimeout(() => {
        settled();
        asked.kill('SIGKILL');
        child = undefined;
        resolve(undefined);
      }, patienceMs);
      asked.once('exit', fail);
      asked.once('message', (answer: Answer) => {
        settled();
        resolve(answer);
      });
      asked.send({ peer, ...message });
    });
  const tell = async (told: Market) => {
    market = told;
    const { pools, wrappedNative } = told;
    await ask(
      { market: { tokens: [...told.tokens.values()], pools, wrappedNative } },
      MARKET_PATIENCE_MS,
    );
  };
  return {
    setMarket: tell,
    plan: async (trade) => {
      if (market === undefined) return undefined;
      if (child === undefined) await tell(market);
      const answer = await ask({ trade });
      return answer && { ms: answer.ms, bought: settle(market, trade, answer.routes) };
    },
    stop: () => child?.kill(),
  };
}

/** What the routes bring one after another; nothing if they sell less than the trade, or a pool takes less. */
function settle(
  { pools }: Market,
  { sellToken, buyToken, amountIn }: Trade,
  routes: readonly Route[],
): bigint | undefined {
  const states = new Map<string, Pool>(pools.map((pool) => [pool.address, pool]));
  let [left, bought] = [amountIn, 0n];
  for (const [at, route] of routes.entries()) {
    // Parts of the whole are rounded down; the last route takes what is left.
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
