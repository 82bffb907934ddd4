import type { Rule } from '../model/rule.ts';
import { rules as conventions } from './0-conventions.ts';
import { rules as routingPlanProbes } from './1.1-routing-plan/probes.ts';
import { rules as routingPlanReplies } from './1.1-routing-plan/replies.ts';
import { rules as encoding } from './1.2-encoding.ts';
import { rules as calldata } from './1.3-calldata.ts';
import { rules as lookups } from './1.4-lookups.ts';
import { rules as readOnly } from './1.5-read-only.ts';
import { rules as swapResponseProbes } from './2.1-swap-response/probes.ts';
import { rules as swapResponseRelations } from './2.1-swap-response/relations.ts';
import { rules as swapResponseReplies } from './2.1-swap-response/replies.ts';
import { rules as swapResponseSettlement } from './2.1-swap-response/settlement.ts';
import { rules as tradeToken } from './2.2-trade-token.ts';
import { rules as tokenReplies } from './2.3-token/replies.ts';
import { rules as tokenSettlement } from './2.3-token/settlement.ts';
import { rules as route } from './2.4-route.ts';
import { rules as routeToken } from './2.5-route-token.ts';
import { rules as tokenInfo } from './2.6-token-info.ts';
import { rules as chain } from './2.7-chain.ts';
import { rules as chainInfo } from './2.8-chain-info.ts';
import { rules as routerInfo } from './2.9-router-info.ts';
import { rules as error } from './2.10-error.ts';
import { rules as swapProbes } from './4.1-swap/probes.ts';
import { rules as swapRelations } from './4.1-swap/relations.ts';
import { rules as swapReplies } from './4.1-swap/replies.ts';
import { rules as swapSettlement } from './4.1-swap/settlement.ts';
import { rules as tokensEndpoint } from './4.2-tokens.ts';
import { rules as chainsEndpoint } from './4.3-chains.ts';
import { rules as chainInfoEndpoint } from './4.4-chain-info.ts';
import { rules as endpoints } from './4-endpoints.ts';
import { rules as authentication } from './5-authentication.ts';
import { rules as errors } from './7-errors.ts';
import { rules as limits } from './8-limits.ts';

/** Every rule, in the order of the specification. */
export const CATALOG: readonly Rule[] = [
  ...conventions,
  ...routingPlanReplies,
  ...routingPlanProbes,
  ...encoding,
  ...calldata,
  ...lookups,
  ...readOnly,
  ...swapResponseReplies,
  ...swapResponseProbes,
  ...swapResponseRelations,
  ...swapResponseSettlement,
  ...tradeToken,
  ...tokenReplies,
  ...tokenSettlement,
  ...route,
  ...routeToken,
  ...tokenInfo,
  ...chain,
  ...chainInfo,
  ...routerInfo,
  ...error,
  ...endpoints,
  ...swapReplies,
  ...swapProbes,
  ...swapRelations,
  ...swapSettlement,
  ...tokensEndpoint,
  ...chainsEndpoint,
  ...chainInfoEndpoint,
  ...authentication,
  ...errors,
  ...limits,
];
