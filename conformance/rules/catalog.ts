import type { Rule } from '../model/rule.ts';
import { routingPlanRules } from './1.1-routing-plan/replies.ts';
import { ownEncodingRules } from './1.2-encoding.ts';
import { tradableRules } from './1.4-lookups/tradable.ts';
import { calldataRules } from './2.1-swap-response/probes.ts';
import { swapResponseRules } from './2.1-swap-response/replies.ts';
import { settlementRules } from './2.1-swap-response/settlement.ts';
import { tradeTokenRules } from './2.2-trade-token.ts';
import { priceRules } from './2.3-token/prices.ts';
import { tokenRules } from './2.3-token/replies.ts';
import { settledTokenRules } from './2.3-token/settlement.ts';
import { routeRules } from './2.4-route.ts';
import { routeTokenRules } from './2.5-route-token.ts';
import { tokenInfoRules } from './2.6-token-info.ts';
import { chainRules } from './2.7-chain.ts';
import { chainInfoRules } from './2.8-chain-info.ts';
import { routerInfoRules } from './2.9-router-info.ts';
import { errorRules } from './2.10-error.ts';
import { amountRelationRules } from './4.1-swap/amounts.ts';
import { boundRules } from './4.1-swap/bounds.ts';
import { samePlanRules } from './4.1-swap/equivalent-requests.ts';
import { parameterRules } from './4.1-swap/invalid-parameters.ts';
import { swapReplyRules } from './4.1-swap/replies.ts';
import { swapSettlementRules } from './4.1-swap/settlement.ts';
import { twoWayRules } from './4.1-swap/two-ways.ts';
import { acceptedRules } from './4.1-swap/valid-parameters.ts';
import { endpointRules } from './4-endpoints.ts';
import { lookupRules } from './4-lookups.ts';
import { malformedQueryRules } from './4-malformed-query.ts';
import { authenticationRules } from './5-authentication.ts';
import { silenceRules } from './7-silence.ts';
import { limitRules } from './8-limits.ts';

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
  ...swapSettlementRules,
];
