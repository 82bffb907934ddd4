import type { RouteToken, SwapResponse } from '../../conformance/contract/resources.ts';
import { alike, type Change, type MutantTable } from './faults/mutant.ts';
import {
  addRoutes,
  addTo,
  addToken,
  firstLegFrom,
  overspend,
  routesFrom,
  routesInto,
  tokenBetween,
} from './faults/plans.ts';
import { isExactInput } from './faults/requests.ts';

/** Where there is a token between the ends, spoils the plan at it. */
function atTokenBetween(spoil: (plan: SwapResponse, token: number) => void): Change<SwapResponse> {
  return (plan) => {
    const token = tokenBetween(plan);
    if (token !== undefined) spoil(plan, token);
  };
}

/** Adds five parts per million to an amount, at least three base units. */
function addFivePpm(leg: RouteToken | undefined): void {
  const share = (BigInt(leg?.amount ?? 0) * 5n) / 1_000_000n;
  addTo(leg, share > 3n ? share : 3n);
}

/** @see Specification 1.1 */
export const routingPlanMutants: MutantTable = {
  'plan/cycle-of-two': {
    caughtBy: 'plan/acyclic',
    title: 'a token between goes round through another and comes back whole',
    plan: atTokenBetween((plan, token) => addRoutes(plan, 1_000n, token, addToken(plan), token)),
  },
  'plan/cycle-of-three': {
    caughtBy: 'plan/acyclic',
    title: 'a token between goes round through two others and comes back whole',
    plan: atTokenBetween((plan, token) => {
      addRoutes(plan, 1_000n, token, addToken(plan, '7'), addToken(plan, '8'), token);
    }),
  },
  'plan/self-loop': {
    caughtBy: 'plan/no-self-loop',
    title: 'a route swaps a token between for itself',
    plan: atTokenBetween((plan, token) => addRoutes(plan, 1_000n, token, token)),
  },
  'plan/no-routes': {
    caughtBy: 'plan/sell-reaches-buy',
    title: '`routes` is empty',
    plan: (plan) => ({ ...plan, routes: [] }),
  },
  'plan/last-hop-missing': {
    caughtBy: 'plan/sell-reaches-buy',
    title: 'the routes into the buy token are left out where there are several hops',
    plan: atTokenBetween((plan) => {
      const last = routesInto(plan, plan.buy.referenceId);
      plan.routes = plan.routes.filter((route) => !last.includes(route));
    }),
  },
  'plan/stray-route': {
    caughtBy: 'plan/routes-on-path',
    title: 'one base unit goes to a token that leads nowhere',
    plan: atTokenBetween((plan, token) => addRoutes(plan, 1n, token, addToken(plan))),
  },
  'plan/island': {
    caughtBy: 'plan/routes-on-path',
    title: 'a route joins two tokens that the rest of the plan never touches',
    plan: (plan) => addRoutes(plan, 1n, addToken(plan, '7'), addToken(plan, '8')),
  },
  'plan/into-sell': {
    caughtBy: 'plan/nothing-into-sell',
    title: 'a route swaps one base unit into the sell token',
    plan: (plan) => {
      overspend(plan);
      addRoutes(plan, 1n, addToken(plan), plan.sell.referenceId);
    },
  },
  'plan/out-of-buy': {
    caughtBy: 'plan/nothing-out-of-buy',
    title: 'a route swaps one base unit out of the buy token',
    plan: (plan) => addRoutes(plan, 1n, plan.buy.referenceId, addToken(plan)),
  },
  'plan/ends-swapped-in-a-route': {
    caughtBy: 'plan/nothing-into-sell',
    title: '`fromTokens` and `toTokens` of the first route are exchanged',
    plan: ({ routes: [first] }) => {
      if (first) [first.fromTokens, first.toTokens] = [first.toTokens, first.fromTokens];
    },
  },
  'plan/sell-leaks-one-unit': {
    caughtBy: 'plan/conserves-sell',
    title: 'the routes spend one base unit less than is sold',
    plan: (plan) => {
      const legs = routesFrom(plan, plan.sell.referenceId).flatMap(({ fromTokens }) => fromTokens);
      const leg = legs.find(({ amount }) => amount !== '1');
      addTo(leg, -1n);
    },
  },
  'plan/sell-overspent-by-one-unit': {
    caughtBy: 'plan/conserves-sell',
    title: 'the routes spend one base unit more than is sold',
    plan: (plan) => addTo(routesFrom(plan, plan.sell.referenceId).at(-1)?.fromTokens[0], 1n),
  },
  'plan/buy-out-of-nothing': {
    caughtBy: 'plan/conserves-buy',
    title: 'exact input: `buy.amount` is three base units more than the routes yield',
    where: isExactInput,
    plan: ({ buy }) => addTo(buy, 3n),
  },
  'plan/buy-fee-unsaid': {
    caughtBy: 'plan/conserves-buy',
    title: 'exact input: `buy.amount` is 0.1 % less than the routes yield',
    where: isExactInput,
    plan: ({ buy }) => addTo(buy, -(BigInt(buy.amount) / 1_000n)),
  },
  ...alike({ caughtBy: 'plan/conserves-between' })({
    'plan/leak-of-five-ppm': {
      title: 'five parts per million of a token between are left over',
      plan: atTokenBetween((plan, token) => addFivePpm(routesInto(plan, token)[0]?.toTokens[0])),
    },
    'plan/overspent-by-five-ppm': {
      title: 'five parts per million more of a token between are spent than came in',
      plan: atTokenBetween((plan, token) => addFivePpm(firstLegFrom(plan, token))),
    },
    'plan/split-counted-twice': {
      title: 'each route out of a token between spends all that came in, where it should be shared',
      plan: atTokenBetween((plan, token) => {
        const legs = routesFrom(plan, token).flatMap(({ fromTokens }) => fromTokens);
        const whole = legs.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
        for (const leg of legs) leg.amount = String(whole);
      }),
    },
  }),
};
