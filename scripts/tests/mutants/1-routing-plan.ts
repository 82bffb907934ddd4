import type { RouteToken, SwapResponse } from '../../../conformance/contract/resources.ts';
import { type Change, type MutantTable, withCommon } from './faults/mutant.ts';
import { addTo, routesFrom, routesInto, tokenBetween } from './faults/plans.ts';
import { isExactInput } from './faults/requests.ts';

function changeIntermediateToken(
  spoil: (plan: SwapResponse, token: number) => void,
): Change<SwapResponse> {
  return (plan) => {
    const token = tokenBetween(plan);
    if (token !== undefined) spoil(plan, token);
  };
}

function addFivePpm(leg: RouteToken | undefined): void {
  const share = (BigInt(leg?.amount ?? 0) * 5n) / 1_000_000n;
  addTo(leg, share > 3n ? share : 3n);
}

/** @see Specification 1.1 */
export const routingPlanMutants: MutantTable = {
  'plan/buy-out-of-nothing': {
    caughtBy: 'plan/conserves-buy',
    title: 'exact input: `buy.amount` is three base units more than the routes yield',
    where: isExactInput,
    plan: ({ buy }) => addTo(buy, 3n),
  },
  'plan/buy-fee-unsaid': {
    caughtBy: 'plan/conserves-buy',
    title: 'exact input: `buy.amount` is 0.1% less than the routes yield',
    where: isExactInput,
    plan: ({ buy }) => addTo(buy, -(BigInt(buy.amount) / 1_000n)),
  },
  ...withCommon({ caughtBy: 'plan/conserves-between' })({
    // The documentation contains pictures of this mutant.
    'plan/leak-of-five-ppm': {
      title: 'five parts per million of an intermediate token are left over',
      plan: changeIntermediateToken((plan, token) =>
        addFivePpm(routesInto(plan, token)[0]?.toTokens[0]),
      ),
    },
    'plan/split-counted-twice': {
      title: 'each route out of an intermediate token spends its whole inflow',
      plan: changeIntermediateToken((plan, token) => {
        const legs = routesFrom(plan, token).flatMap(({ fromTokens }) => fromTokens);
        const whole = legs.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
        for (const leg of legs) leg.amount = String(whole);
      }),
    },
  }),
};
