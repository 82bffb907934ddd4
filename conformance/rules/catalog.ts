import type { Rule } from '../model/rule.ts';
import { ownEncodingRules } from './1.2-own-encoding.ts';
import { tradableRules } from './1.4-tradable.ts';
import { routingPlanRules } from './1-routing-plan.ts';
import { calldataRules } from './2.1-calldata.ts';
import { settlementRules } from './2.1-settlement.ts';
import { swapResponseRules } from './2.1-swap-response.ts';
import { tradeTokenRules } from './2.2-trade-token.ts';
import { priceRules } from './2.3-prices.ts';
import { settledTokenRules } from './2.3-settled-tokens.ts';
import { tokenRules } from './2.3-token.ts';
import { routeRules } from './2.4-route.ts';
import { routeTokenRules } from './2.5-route-token.ts';
import { settledRouteRules } from './2.5-settled-routes.ts';
import { tokenInfoRules } from './2.6-token-info.ts';
import { chainRules } from './2.7-chain.ts';
import { chainInfoRules } from './2.8-chain-info.ts';
import { routerInfoRules } from './2.9-router-info.ts';
import { errorRules } from './2.10-error.ts';
import { acceptedRules } from './4.1-accepted.ts';
import { boundRules } from './4.1-bounds.ts';
import { swapSettlementRules } from './4.1-settlement.ts';
import { swapReplyRules } from './4.1-swap.ts';
import { twoWayRules } from './4.1-two-ways.ts';
import { endpointRules } from './4-endpoints.ts';
import { lookupRules } from './4-lookups.ts';
import { malformedQueryRules } from './4-malformed-query.ts';
import { parameterRules } from './4-parameters.ts';
import { authenticationRules } from './5-authentication.ts';
import { silenceRules } from './7-silence.ts';
import { limitRules } from './8-limits.ts';
import { amountRelationRules } from './relations/amounts.ts';
import { samePlanRules } from './relations/same-plan.ts';

/** Every rule, in the order of the specification. Reports list them by clause. */
export const CATALOG: readonly Rule[] = [
  ...routingPlanRules,
  ...swapResponseRules,
  ...calldataRules,
  ...tradeTokenRules,
  ...tokenRules,
  ...priceRules,
  ...routeRules,
  ...routeTokenRules,
  ...tokenInfoRules,
  ...chainRules,
  ...chainInfoRules,
  ...routerInfoRules,
  ...errorRules,
  ...endpointRules,
  ...lookupRules,
  ...tradableRules,
  ...swapReplyRules,
  ...acceptedRules,
  ...boundRules,
  ...twoWayRules,
  ...parameterRules,
  ...malformedQueryRules,
  ...samePlanRules,
  ...amountRelationRules,
  ...authenticationRules,
  ...silenceRules,
  ...limitRules,
  ...ownEncodingRules,
  ...settlementRules,
  ...settledTokenRules,
  ...settledRouteRules,
  ...swapSettlementRules,
];
