import fc from 'fast-check';
import { graphRouter } from '../encoding/graph-router.ts';
import { NotPathsError } from '../encoding/plan-paths.ts';
import { universalRouter } from '../encoding/universal-router.ts';
import type { Market } from '../market/market.ts';
import { parseAddress } from '../planner/domain/address.ts';
import type { RoutingPlan } from '../planner/graph/plan.ts';
import { createPlanner } from '../planner/planner.ts';
import type { Pool } from '../planner/pools/families.ts';
import { anyPlan } from './plans.testing.ts';
import {
  allowByPermit2,
  deploymentOf,
  GRAPH_ROUTERS,
  type SettleOptions,
  settle,
  settlementOptions,
} from './settlement.testing.ts';
import type { TestChain } from './test-chain.testing.ts';
import { encodeForUniversal } from './universal-plan.testing.ts';

const planner = createPlanner();

type GasRow = {
  readonly plan: string;
  readonly swaps: number;
  readonly isSplit: boolean;
  readonly own: readonly bigint[];
  readonly universalRouter: bigint;
};

type GasCase = {
  readonly plan: RoutingPlan;
  readonly sellNative: boolean;
  readonly buyNative: boolean;
};

const USER = parseAddress(`0x${'a11ce'.padStart(40, '0')}`);

function universalMarket(market: Market): Market {
  const sources = new Set(deploymentOf(market, 'universal-router').sources);
  const isKnown = ({ source, family }: Pool) => sources.has(source) && family !== 'singleton';
  return { ...market, pools: market.pools.filter(isKnown) };
}

function gasCases(market: Market, random: number): GasCase[] {
  const known = universalMarket(market);
  const bySymbol = new Map([...known.tokens.values()].map((token) => [token.symbol, token]));
  const constraints = {
    sources: new Set(known.pools.map(({ source }) => source)),
    topology: 'graph' as const,
  };
  const best = [
    ['WETH', 'USDC'],
    ['USDC', 'WETH'],
    ['USDT', 'DAI'],
    ['WBTC', 'USDT'],
    ['DAI', 'LINK'],
    ['EURC', 'wstETH'],
  ].flatMap(([sell, buy]) =>
    [3n, 3000n].flatMap((scale) =>
      (['exact-input', 'exact-output'] as const).flatMap((swapKind) => {
        const [sold, bought] = [bySymbol.get(sell ?? ''), bySymbol.get(buy ?? '')];
        if (sold === undefined || bought === undefined) return [];
        const token = swapKind === 'exact-input' ? sold : bought;
        const unit = 10n ** BigInt(token.decimals);
        const amount = ['WETH', 'WBTC', 'wstETH'].includes(token.symbol)
          ? (unit * scale) / 30n
          : unit * scale * 100n;
        const plan = planner(known, {
          sellToken: sold.address,
          buyToken: bought.address,
          swapKind,
          amount,
          constraints,
        });
        return plan.kind === 'plan' ? [plan] : [];
      }),
    ),
  );
  const plans = [...best, ...fc.sample(anyPlan(known), { numRuns: random, seed: 31 })];
  return plans.flatMap((plan) => [
    { plan, sellNative: false, buyNative: false },
    ...(plan.sellToken === known.wrappedNative
      ? [{ plan, sellNative: true, buyNative: false }]
      : []),
    ...(plan.buyToken === known.wrappedNative
      ? [{ plan, sellNative: false, buyNative: true }]
      : []),
  ]);
}

/** Settles the best plans and random plans through all routers, and returns the gas of each. */
export async function measureGas(chain: TestChain, random: number): Promise<readonly GasRow[]> {
  await allowByPermit2(chain, USER);
  const rows: GasRow[] = [];
  for (const one of gasCases(chain.market, random)) rows.push(await gasRow(chain, one));
  return rows;
}

async function gasRow(chain: TestChain, one: GasCase): Promise<GasRow> {
  const { plan, sellNative, buyNative } = one;
  const options = { user: USER, sellNative, buyNative };
  const settledBy = async (more: Pick<SettleOptions, 'router' | 'encode'>) =>
    gasUsed((await settle(chain, plan, { ...options, ...more })).sent);
  const { encode } = graphRouter;
  const own: bigint[] = [];
  for (const router of GRAPH_ROUTERS) own.push(await settledBy({ router, encode }));
  return {
    plan: describePlan(chain.market, one),
    swaps: plan.swaps.length,
    isSplit: new Set(plan.swaps.map(({ tokenIn }) => tokenIn)).size < plan.swaps.length,
    own,
    universalRouter: await settledBy({
      router: 'universal-router',
      encode: () => ({
        calldata:
          universalExactOutput(chain.market, one) ??
          encodeForUniversal(plan, { sellNative, buyNative }),
        gasLimit: 25_000_000n,
      }),
    }),
  };
}

function universalExactOutput(
  market: Market,
  { plan, sellNative, buyNative }: GasCase,
): `0x${string}` | undefined {
  const mixesFamilies = plan.swaps.some((swap) =>
    plan.swaps.some(
      (next) => next.tokenIn === swap.tokenOut && next.pool.family !== swap.pool.family,
    ),
  );
  if (plan.swapKind === 'exact-input' || mixesFamilies) return undefined;
  const options = { router: 'universal-router', user: USER, sellNative, buyNative } as const;
  try {
    return universalRouter.encode(plan, settlementOptions(market, options)).calldata;
  } catch (error) {
    if (error instanceof NotPathsError) return undefined;
    throw error;
  }
}

function gasUsed(sent: Awaited<ReturnType<TestChain['send']>>): bigint {
  if (sent.kind === 'reverted') throw new Error(`a settlement reverted: ${sent.error}`);
  return sent.gasUsed;
}

function describePlan(market: Market, { plan, sellNative, buyNative }: GasCase): string {
  const symbol = (token: RoutingPlan['sellToken']) => market.tokens.get(token)?.symbol ?? token;
  const swaps = plan.swaps.map(
    ({ pool, tokenIn, tokenOut }) =>
      `${symbol(tokenIn)}>${symbol(tokenOut)}:${pool.family === 'concentrated' ? 'v3' : 'v2'}`,
  );
  const native = `${sellNative ? ' native in' : ''}${buyNative ? ' native out' : ''}`;
  return `${plan.swapKind.replace('exact-', '')}${native}  ${swaps.join(' ')}`;
}
