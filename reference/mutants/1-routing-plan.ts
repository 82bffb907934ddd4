import type { RouteToken, SwapResponse } from '../../conformance/contract/resources.ts';
import type { Change } from './alter-reply.ts';
import { planMutant } from './body-mutant.ts';
import type { Mutant } from './mutant.ts';
import { addRoute, addTo, addToken, routesFrom, routesInto, tokenBetween } from './plan-surgery.ts';

type Spoil = Change<SwapResponse>;

/** Where there is a token between the ends, spoils the plan at it. */
function atTokenBetween(spoil: (plan: SwapResponse, token: number) => void): Spoil {
  return (plan) => {
    const token = tokenBetween(plan);
    if (token !== undefined) spoil(plan, token);
  };
}

/** Parts per million of an amount, at least `least` base units. */
function share(leg: RouteToken, ppm: bigint, least: bigint): bigint {
  const part = (BigInt(leg.amount) * ppm) / 1_000_000n;
  return part > least ? part : least;
}

const graph: readonly Mutant[] = [
  planMutant(
    'plan/cycle-of-two',
    '1.1 acyclic',
    'plan/acyclic',
    'a token between goes round through another and comes back whole',
    atTokenBetween((plan, token) => {
      const detour = addToken(plan);
      addRoute(plan, token, detour, 1_000n);
      addRoute(plan, detour, token, 1_000n);
    }),
  ),
  planMutant(
    'plan/cycle-of-three',
    '1.1 acyclic',
    'plan/acyclic',
    'a token between goes round through two others and comes back whole',
    atTokenBetween((plan, token) => {
      const [one, two] = [addToken(plan, '7'), addToken(plan, '8')];
      addRoute(plan, token, one, 1_000n);
      addRoute(plan, one, two, 1_000n);
      addRoute(plan, two, token, 1_000n);
    }),
  ),
  planMutant(
    'plan/self-loop',
    '1.1 acyclic',
    'plan/no-self-loop',
    'a route swaps a token between for itself',
    atTokenBetween((plan, token) => addRoute(plan, token, token, 1_000n)),
  ),
  planMutant(
    'plan/no-routes',
    '1.1 converts',
    'plan/sell-reaches-buy',
    '`routes` is empty',
    (plan) => {
      plan.routes = [];
    },
  ),
  planMutant(
    'plan/last-hop-missing',
    '1.1 converts',
    'plan/sell-reaches-buy',
    'the routes into the buy token are left out where there are several hops',
    atTokenBetween((plan) => {
      const last = routesInto(plan, plan.buy.referenceId);
      plan.routes = plan.routes.filter((route) => !last.includes(route));
    }),
  ),
  planMutant(
    'plan/stray-route',
    '1.1 converts',
    'plan/routes-on-path',
    'one base unit goes to a token that leads nowhere',
    atTokenBetween((plan, token) => addRoute(plan, token, addToken(plan), 1n)),
  ),
  planMutant(
    'plan/island',
    '1.1 converts',
    'plan/routes-on-path',
    'a route joins two tokens that the rest of the plan never touches',
    (plan) => addRoute(plan, addToken(plan, '7'), addToken(plan, '8'), 1n),
  ),
  planMutant(
    'plan/into-sell',
    '1.1 converts',
    'plan/nothing-into-sell',
    'a route swaps one base unit into the sell token',
    (plan) => {
      addTo(routesFrom(plan, plan.sell.referenceId)[0]?.fromTokens[0], 1n);
      addRoute(plan, addToken(plan), plan.sell.referenceId, 1n);
    },
  ),
  planMutant(
    'plan/out-of-buy',
    '1.1 converts',
    'plan/nothing-out-of-buy',
    'a route swaps one base unit out of the buy token',
    (plan) => addRoute(plan, plan.buy.referenceId, addToken(plan), 1n),
  ),
  planMutant(
    'plan/ends-swapped-in-a-route',
    '1.1 converts',
    'plan/nothing-into-sell',
    '`fromTokens` and `toTokens` of the first route are exchanged',
    ({ routes }) => {
      const [first] = routes;
      if (first === undefined) return;
      [first.fromTokens, first.toTokens] = [first.toTokens, first.fromTokens];
    },
  ),
];

const conservation: readonly Mutant[] = [
  planMutant(
    'plan/sell-leaks-one-unit',
    '1.1 converts',
    'plan/conserves-sell',
    'the routes spend one base unit less than is sold',
    (plan) => {
      const legs = routesFrom(plan, plan.sell.referenceId).flatMap(({ fromTokens }) => fromTokens);
      addTo(
        legs.find(({ amount }) => amount !== '1'),
        -1n,
      );
    },
  ),
  planMutant(
    'plan/sell-overspent-by-one-unit',
    '1.1 converts',
    'plan/conserves-sell',
    'the routes spend one base unit more than is sold',
    (plan) => addTo(routesFrom(plan, plan.sell.referenceId).at(-1)?.fromTokens[0], 1n),
  ),
  planMutant(
    'plan/buy-out-of-nothing',
    '1.1 converts',
    'plan/conserves-buy',
    'exact input: `buy.amount` is three base units more than the routes yield',
    (plan, query) => {
      if (query.has('sellAmount')) addTo(plan.buy, 3n);
    },
  ),
  planMutant(
    'plan/buy-fee-unsaid',
    '1.1 converts',
    'plan/conserves-buy',
    'exact input: `buy.amount` is 0.1 % less than the routes yield',
    (plan, query) => {
      if (query.has('sellAmount')) addTo(plan.buy, -share(plan.buy, 1_000n, 0n));
    },
  ),
  planMutant(
    'plan/leak-of-five-ppm',
    '1.1 converts',
    'plan/conserves-between',
    'five parts per million of a token between are left over',
    atTokenBetween((plan, token) => {
      const leg = routesInto(plan, token)[0]?.toTokens[0];
      if (leg !== undefined) addTo(leg, share(leg, 5n, 3n));
    }),
  ),
  planMutant(
    'plan/overspent-by-five-ppm',
    '1.1 converts',
    'plan/conserves-between',
    'five parts per million more of a token between are spent than came in',
    atTokenBetween((plan, token) => {
      const leg = routesFrom(plan, token)[0]?.fromTokens[0];
      if (leg !== undefined) addTo(leg, share(leg, 5n, 3n));
    }),
  ),
  planMutant(
    'plan/split-counted-twice',
    '1.1 converts',
    'plan/conserves-between',
    'each route out of a token between spends all that came in, where it should be shared',
    atTokenBetween((plan, token) => {
      const legs = routesFrom(plan, token).flatMap(({ fromTokens }) => fromTokens);
      const whole = legs.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
      for (const leg of legs) leg.amount = String(whole);
    }),
  ),
];

/** @see Specification 1.1 */
export const routingPlanMutants: readonly Mutant[] = [...graph, ...conservation];
