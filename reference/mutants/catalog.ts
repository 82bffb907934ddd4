import { transportMutants } from './0-transport.ts';
import { routingPlanMutants } from './1-routing-plan.ts';
import { swapResponseMutants } from './2.1-swap-response.ts';
import { tradeTokenMutants } from './2.2-trade-token.ts';
import { tokenMutants } from './2.3-token.ts';
import { routeMutants } from './2.4-route.ts';
import { tokenInfoMutants } from './2.6-token-info.ts';
import { chainMutants } from './2.7-chain.ts';
import { routerInfoMutants } from './2.9-router-info.ts';
import { errorMutants } from './2.10-error.ts';
import { amountMutants } from './4.1-amounts.ts';
import { formMutants } from './4.1-forms.ts';
import { parameterMutants } from './4.1-parameters.ts';
import { swapMutants } from './4.1-swap.ts';
import { lookupMutants } from './4.2-lookups.ts';
import { endpointMutants } from './4-endpoints.ts';
import { keyMutants } from './5-keys.ts';
import { limitMutants } from './8-limits.ts';
import { inTimeMutants } from './in-time.ts';
import type { Mutant } from './mutant.ts';
import { relationMutants } from './relations.ts';
import { sometimesMutants } from './sometimes.ts';
import { somewhereMutants } from './somewhere.ts';

/** Mutants whose fault comes and goes: those that a narrow run may miss. */
export const NOW_AND_THEN_MUTANTS: readonly Mutant[] = [
  ...sometimesMutants,
  ...somewhereMutants,
  ...inTimeMutants,
];

/** Every mutant whose fault shows in replies, by clause. */
export const MUTANTS: readonly Mutant[] = [
  ...transportMutants,
  ...routingPlanMutants,
  ...swapResponseMutants,
  ...tradeTokenMutants,
  ...tokenMutants,
  ...routeMutants,
  ...tokenInfoMutants,
  ...chainMutants,
  ...routerInfoMutants,
  ...errorMutants,
  ...endpointMutants,
  ...swapMutants,
  ...parameterMutants,
  ...formMutants,
  ...lookupMutants,
  ...amountMutants,
  ...relationMutants,
  ...keyMutants,
  ...limitMutants,
  ...NOW_AND_THEN_MUTANTS,
];
