import { fillExactInput } from './choose/exact-input.ts';
import { fillExactOutput } from './choose/exact-output.ts';
import { planCostsOf } from './choose/plan-costs.ts';
import type { Address } from './domain/address.ts';
import { LruCache } from './domain/lru-cache.ts';
import { type BoundLine, lowerBoundFor, upperBoundAt } from './dual/bound-lines.ts';
import { flowProblemOf } from './dual/flow-problem.ts';
import { MarketGraph, type Subgraph } from './graph/market-graph.ts';
import type { Flow } from './graph/network.ts';
import type {
  NoRoute,
  PlanSwap,
  Proof,
  ProvenPlan,
  RoutingPlan,
  RoutingRequest,
  SwapKind,
  Topology,
} from './graph/plan.ts';
import { hasPath } from './paths/path-kinds.ts';
import { MAKER_SOURCE } from './pools/maker-order.ts';
import { gasCostIn } from './prices/gas-cost.ts';
import type { PoolMarket } from './prices/pool-market.ts';
import { usdPrices } from './prices/usd-prices.ts';
import { createFlowSearch } from './search/flow-search.ts';
import { createPathSearch } from './search/path-search.ts';
import type { Search } from './search/search.ts';

/**
 * Plans a trade through pools that the router can settle. An exact input sells exactly `amount` for
 * the largest output; an exact output buys exactly `amount` for the smallest input; both net of
 * gas. If there is no plan, returns the reason. Equal markets and requests result in equal plans,
 * independent of earlier requests.
 */
export type Planner<Plan extends RoutingPlan = ProvenPlan> = (
  market: PoolMarket,
  request: RoutingRequest,
) => Plan | NoRoute;

/**
 * Returns a planner. The planner caches intermediate results for the last market of each chain,
 * which speeds up later requests and the next market.
 */
export function createPlanner(): Planner {
  const chains = new Map<
    number,
    { readonly last: MarketPlanner; readonly plain?: MarketPlanner }
  >();
  return (market, request) => {
    const { last, plain } = chains.get(market.chainId) ?? {};
    const known = [last, plain].find((planner) => planner?.market === market);
    const planner = known ?? new MarketPlanner(market, last);
    // A market maker's orders exist only for one request, so a market with orders must not displace
    // the cached market.
    const nextPlain = planner.hasOrders ? plain : planner;
    chains.set(market.chainId, { last: planner, ...(nextPlain && { plain: nextPlain }) });
    return planner.plan(request);
  };
}

const MAX_PAIRS = 1024;

class MarketPlanner {
  readonly market: PoolMarket;
  readonly hasOrders: boolean;
  readonly #graph: MarketGraph;
  #knownUsdPrices: ReadonlyMap<Address, number> | undefined;
  readonly #searches = new LruCache<SearchFor>(MAX_PAIRS);

  constructor(market: PoolMarket, before: MarketPlanner | undefined) {
    this.market = market;
    this.hasOrders = market.pools.some(({ source }) => source === MAKER_SOURCE);
    this.#graph = new MarketGraph(market.pools, before === undefined ? undefined : before.#graph);
  }

  get #usdPrices(): ReadonlyMap<Address, number> {
    this.#knownUsdPrices ??= usdPrices(this.market);
    return this.#knownUsdPrices;
  }

  plan(request: RoutingRequest): ProvenPlan | NoRoute {
    const plan = this.#planAmong(request);
    if (!this.hasOrders) return plan;
    // With gas, rounding or a limit on swaps, a search among fewer pools may find a better plan.
    const { constraints } = request;
    const sources = new Set(constraints.sources);
    sources.delete(MAKER_SOURCE);
    const without = this.#planAmong({ ...request, constraints: { ...constraints, sources } });
    return betterOf(plan, without);
  }

  #planAmong(request: RoutingRequest): ProvenPlan | NoRoute {
    const { sellToken, buyToken, swapKind, amount, constraints } = request;
    const search = this.#searchesFor(request)(constraints.topology, swapKind);
    if (search === undefined) return { kind: 'no-route', reason: 'disconnected' };
    const gasPriceWei = request.gasPriceWei ?? this.market.gasPriceWei ?? 0n;
    const gasCostOf = (token: Address) =>
      gasCostIn(this.market, this.#usdPrices, token, gasPriceWei);
    const costs = planCostsOf(request, gasPriceWei, gasCostOf, search.bestRate);
    const planOf = (
      sellAmount: bigint,
      buyAmount: bigint,
      flows: readonly Flow[],
      lines: readonly BoundLine[],
    ): ProvenPlan => {
      const amounts = { swapKind, sellAmount, buyAmount };
      const gas = costs.gasOf(flows);
      const tokens = { sellToken, buyToken };
      const proof = proofOf(amounts, boundOf(amounts, lines));
      return { kind: 'plan', ...amounts, ...tokens, swaps: flows.map(swapOf), proof, gas };
    };
    if (swapKind === 'exact-input') {
      const filled = fillExactInput(search, amount, costs);
      if (filled.kind === 'filled') {
        return planOf(amount, filled.amountOut, filled.flows, filled.boundLines?.() ?? []);
      }
      const reason = filled.kind === 'dust' ? 'dust' : 'insufficient-liquidity';
      return { kind: 'no-route', reason };
    }
    const bought = fillExactOutput(search, amount, costs);
    if (bought === undefined) return { kind: 'no-route', reason: 'insufficient-liquidity' };
    return planOf(bought.amountIn, amount, bought.flows, bought.boundLines());
  }

  #searchesFor({ constraints, sellToken, buyToken, maxSolutions }: RoutingRequest): SearchFor {
    const { sources } = constraints;
    const create = () =>
      createSearches(this.#graph.between(sources, sellToken, buyToken), maxSolutions);
    if (maxSolutions !== undefined) return create();
    return this.#searches.getOrMake(
      JSON.stringify([[...sources].sort(), sellToken, buyToken]),
      create,
    );
  }
}

/**
 * Returns a token pair's search for a router; `undefined` if no path that the router can settle
 * connects the tokens.
 */
type SearchFor = (topology: Topology, swapKind: SwapKind) => Search | undefined;

/** Returns the searches for a token pair. Each is created on first use. */
function createSearches(subgraph: Subgraph, maxSolutions: number | undefined): SearchFor {
  if (subgraph.arcs.length === 0) return () => undefined;
  const problem = flowProblemOf(subgraph);
  const flows = createFlowSearch(problem, maxSolutions);
  const paths = new Map<SwapKind, Search>();
  return (topology, swapKind) => {
    if (topology === 'graph') return flows;
    const known = paths.get(swapKind);
    const isOneFamily = swapKind === 'exact-output';
    if (known !== undefined || !hasPath(problem, isOneFamily)) return known;
    const search = createPathSearch(problem, isOneFamily, flows, maxSolutions);
    paths.set(swapKind, search);
    return search;
  };
}

/** Returns the better plan, with the bound of the first plan, whose search included orders. */
function betterOf(plan: ProvenPlan | NoRoute, without: ProvenPlan | NoRoute): ProvenPlan | NoRoute {
  if (without.kind === 'no-route') return plan;
  if (plan.kind === 'plan' && costOf(plan) <= costOf(without)) return plan;
  const bound = plan.kind === 'plan' ? plan.proof.bound : boundOf(without, []);
  return { ...without, proof: proofOf(without, bound) };
}

function costOf({ sellAmount, buyAmount, gas }: ProvenPlan): bigint {
  return sellAmount - buyAmount + (gas.cost ?? 0n);
}

type Amounts = Pick<RoutingPlan, 'sellAmount' | 'buyAmount'> & { readonly swapKind: SwapKind };

function boundOf({ swapKind, sellAmount, buyAmount }: Amounts, lines: readonly BoundLine[]) {
  return swapKind === 'exact-input'
    ? upperBoundAt(lines, Number(sellAmount))
    : lowerBoundFor(lines, Number(buyAmount));
}

function proofOf({ swapKind, sellAmount, buyAmount }: Amounts, bound: number): Proof {
  const isInput = swapKind === 'exact-input';
  const gap = isInput ? 1 - Number(buyAmount) / bound : 1 - bound / Number(sellAmount);
  return { bound, gap };
}

function swapOf({ pool, tokenIn, tokenOut, amountIn, amountOut }: Flow): PlanSwap {
  return { pool, tokenIn, tokenOut, amountIn, amountOut };
}
