import { transportMutants } from './0-transport.ts';
import { routingPlanMutants } from './1-routing-plan.ts';
import { tradeTokenMutants } from './2.2-trade-token.ts';
import { tokenMutants } from './2.3-token.ts';
import { routeMutants } from './2.4-route.ts';
import { tokenInfoMutants } from './2.6-token-info.ts';
import { chainMutants } from './2.7-chain.ts';
import { routerInfoMutants } from './2.9-router-info.ts';
import { calldataMutants } from './4.1-calldata.ts';
import { parameterMutants } from './4.1-parameters.ts';
import { swapMutants } from './4.1-swap.ts';
import { endpointMutants } from './4-endpoints.ts';
import { keyMutants } from './5-keys.ts';
import { conditionalMutants } from './conditional.ts';
import { everyTradeMutants } from './execution/every-trade.ts';
import { someTradesMutants } from './execution/some-trades.ts';
import { movingMutants } from './execution/thefts.ts';
import type { Mutant, MutantTable } from './faults/mutant.ts';
import { intermittentMutants } from './intermittent.ts';
import { relationMutants } from './relations.ts';

/** Mutants with a permanent fault that is visible in replies, in the order of the clauses. */
export const STEADY_MUTANTS = mutantsOf(
  transportMutants,
  routingPlanMutants,
  tradeTokenMutants,
  tokenMutants,
  routeMutants,
  tokenInfoMutants,
  chainMutants,
  routerInfoMutants,
  endpointMutants,
  swapMutants,
  parameterMutants,
  calldataMutants,
  relationMutants,
  keyMutants,
);

/** Mutants with an intermittent or rare fault. A narrow run may miss it. */
export const ELUSIVE_MUTANTS = mutantsOf(intermittentMutants, conditionalMutants);

/** Mutants whose fault is visible in replies. */
export const MUTANTS: readonly Mutant[] = [...STEADY_MUTANTS, ...ELUSIVE_MUTANTS];

/** Mutants whose fault is visible only on a chain. */
export const SETTLEMENT_MUTANTS = mutantsOf(everyTradeMutants, someTradesMutants);

/** Mutants that are judged while the market moves. */
export const MOVING_MUTANTS = mutantsOf(movingMutants);

function mutantsOf(...tables: readonly MutantTable[]): readonly Mutant[] {
  return tables.flatMap((table) => Object.entries(table).map(([id, row]) => ({ id, ...row })));
}
