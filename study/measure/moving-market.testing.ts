import type { Middleware } from 'koa';
import { baseUnitsWorth } from '../../conformance/discovery/discover-market.ts';
import type { AnvilNode } from '../../conformance/execution/node/anvil.ts';
import { createRpc, quantity, type Rpc } from '../../conformance/execution/node/json-rpc.ts';
import { createRandom } from '../../conformance/model/random.ts';
import { startFixtureChain } from '../../fixtures/chains/fixture-chain.ts';
import { fundToken, setNative } from '../../fixtures/testing/fund-token.testing.ts';
import { mineAll, type UserCall } from '../../fixtures/testing/send.testing.ts';
import { loadEmbeddedMarkets } from '../../reference/market/embedded-markets.ts';
import { type LiveMarket, openLiveMarket } from '../../reference/market/live/live-market.ts';
import { entryOf, parsePoolsFile } from '../../reference/market/live/pools-file.ts';
import type { Market, MarketChange } from '../../reference/market/market.ts';
import type { RoutingPlan } from '../../reference/planner/graph/plan.ts';
import type { Planner } from '../../reference/planner/planner.ts';
import { usdPrices } from '../../reference/planner/prices/usd-prices.ts';
import { type RunningReference, startReference } from '../../reference/server/app.ts';

export const CHAIN_ID = 31337;
const TRADER = '0x00000000000000000000000000000000000071de';
const KEY = 'demo';

/** Ways in which a service differs from the reference. */
export type Quirk = {
  readonly planner?: Planner<RoutingPlan>;
  readonly middleware?: Middleware;
  /** Age of the service's market in blocks. */
  readonly blocksLate?: number;
};

/** A fixture chain whose market moves on request, and services that follow it. */
export type MovingMarket = {
  readonly rpcUrl: string;
  /** Returns the market at the latest block. */
  readonly market: () => Market;
  readonly serve: (quirk: Quirk) => Promise<RunningReference>;
  /** Mines a block with trades by another account. The same seed results in the same trades. */
  readonly move: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export async function startMovingMarket(seed: number): Promise<MovingMarket> {
  const node = await startFixtureChain(CHAIN_ID);
  const live = await openLiveMarket(poolsFile(), node.url);
  const history: Market[] = [live.market];
  const followers: { readonly late: number; readonly notify: (change: MarketChange) => void }[] =
    [];
  const services: RunningReference[] = [];
  const serve: MovingMarket['serve'] = async ({ planner, middleware, blocksLate = 0 }) => {
    const service = await startReference({
      markets: [marketAt(history, blocksLate)],
      follow: (notify) => followers.push({ late: blocksLate, notify }),
      ...(planner && { planner }),
      ...(middleware && { middleware: [middleware] }),
    });
    services.push(service);
    return service;
  };
  const trader = await createTrader(node, (await serve({})).url, live.market, seed);
  return {
    rpcUrl: node.url,
    market: () => marketAt(history, 0),
    serve,
    move: async () => {
      await trader();
      await follow(live, history);
      for (const { late, notify } of followers) {
        notify({ kind: 'moved', chainId: CHAIN_ID, market: marketAt(history, late) });
      }
    },
    stop: async () => {
      await Promise.all(services.map(({ close }) => close()));
      await node.stop();
    },
  };
}

async function follow(live: LiveMarket, history: Market[]): Promise<void> {
  const next = await live.readNext();
  if (next === undefined) throw new Error('the chain mined no block');
  history.push(next);
}

function marketAt(history: readonly Market[], late: number): Market {
  return history[Math.max(0, history.length - 1 - late)] as Market;
}

function poolsFile() {
  const market = loadEmbeddedMarkets().find(({ chainId }) => chainId === CHAIN_ID);
  if (market === undefined) throw new Error(`no market of chain ${CHAIN_ID}`);
  const { chainId, name, usdToken, wrappedNative, makerOrders, routers } = market;
  const pools = market.pools.filter(({ family }) => family !== 'maker-order').map(entryOf);
  const common = { format: 1, chainId, name, usdToken, wrappedNative };
  return parsePoolsFile({ ...common, ...(makerOrders && { makerOrders }), routers, pools });
}

const TRADES_PER_BLOCK = 4;
const TOKENS_TRADED = 6;
const MAX_TRADE_USD = 60_000;

async function createTrader(
  node: AnvilNode,
  url: string,
  market: Market,
  seed: number,
): Promise<() => Promise<void>> {
  const rpc = createRpc(node.url);
  const random = createRandom(seed);
  await rpc('anvil_impersonateAccount', [TRADER]);
  await setNative(rpc, TRADER, 10n ** 24n);
  const router = market.routers.find(({ name }) => name === 'default-router')?.address;
  const usd = market.usdToken;
  const prices = [...usdPrices(market)].filter(([token, price]) => price > 0 && token !== usd);
  const others = prices.slice(0, TOKENS_TRADED).map(([token]) => token);
  for (const token of [usd, ...others] as `0x${string}`[]) {
    await fundToken(rpc, token, TRADER, 10n ** 30n);
    await rpc('anvil_setERC20Allowance', [TRADER, router, token, quantity(10n ** 40n)]);
  }
  const amountWorth = (token: typeof usd, worth: number): bigint => {
    const { decimals = 18 } = market.tokens.get(token) ?? {};
    const usdPrice = prices.find(([each]) => each === token)?.[1] ?? 1;
    return baseUnitsWorth(worth, { usdPrice, decimals });
  };
  const sold = new Set<string>();
  return async () => {
    const calls: UserCall[] = [];
    for (let made = 0; made < TRADES_PER_BLOCK; made += 1) {
      const other = others[Math.floor(random() * others.length)] ?? usd;
      // The directions of trades alternate, so that no pool is emptied.
      const isSold = sold.has(other);
      const [sell, buy] = isSold ? [usd, other] : [other, usd];
      if (isSold) sold.delete(other);
      else sold.add(other);
      const amount = amountWorth(sell, MAX_TRADE_USD * (0.1 + 0.9 * random()));
      const plan = (await fetchJson(
        url,
        `swap?chainId=${CHAIN_ID}&sellToken=${sell}&buyToken=${buy}&sellAmount=${amount}&includeCalldata=true&userAddress=${TRADER}&slippageTolerance=1`,
      )) as { routerAddress: `0x${string}`; calldata: `0x${string}` };
      calls.push({ to: plan.routerAddress, value: 0n, data: plan.calldata });
    }
    await mineTrades(rpc, calls);
  };
}

async function mineTrades(rpc: Rpc, calls: readonly UserCall[]): Promise<void> {
  const failed = await mineAll(rpc, TRADER, calls, 3_000_000n);
  if (failed.length > 0) throw new Error(`${failed.length} trades of the other account failed`);
}

async function fetchJson(url: string, target: string): Promise<unknown> {
  const reply = await fetch(`${url}/api/v1.0/${target}&apiKey=${KEY}`);
  if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
  return reply.json();
}
