import type { RouterName } from '../../conformance/contract/resources.ts';
import type { Address } from '../domain/address.ts';
import type { RouterDeployment } from '../market/market.ts';
import type { ServedChain } from './chain.ts';
import { type Refusal, refuse } from './errors.ts';
import type { EncoderTable } from './options.ts';
import type { Side, SwapRequest } from './swap-request.ts';

/** A trade on its chain, all of its names resolved. */
export type Trade = {
  readonly kind: 'trade';
  readonly chain: ServedChain;
  readonly request: SwapRequest;
  readonly router: RouterDeployment;
};

/** Returns the trade that is asked for, or the refusal of the first name that the chain does not know. */
export function resolveTrade(
  chain: ServedChain,
  request: SwapRequest,
  encoders: EncoderTable,
): Trade | Refusal {
  const { market } = chain;
  const sides = { sellToken: request.sell, buyToken: request.buy };
  for (const [parameter, side] of Object.entries(sides)) {
    if (side === 'native' || market.tokens.has(side)) continue;
    const message = `Parameter '${parameter}' is '${side}': expected a token of chain ${market.chainId}.`;
    return refuse('UNKNOWN_TOKEN', message, { parameter, value: side });
  }
  if (addressOf(request.sell, chain) === addressOf(request.buy, chain)) {
    const message = `Parameters 'sellToken' (${request.sell}) and 'buyToken' (${request.buy}) are one asset: expected two.`;
    return refuse('SAME_TOKEN', message, { parameters: ['sellToken', 'buyToken'] });
  }
  const router = market.routers.find(({ name }) => name === request.router);
  if (!router) {
    const expected = market.routers.map(({ name }) => name);
    const message = `Parameter 'router' is '${request.router}', which is not deployed on chain ${market.chainId}: expected one of ${expected.join(', ')}.`;
    return refuse('ROUTER_UNAVAILABLE', message, { parameter: 'router', value: request.router });
  }
  if (request.settlement && !encoders[router.name]) return refuseNoEncoder(router.name);
  return { kind: 'trade', chain, request, router };
}

/** Returns the ERC-20 token that a side trades: for native its wrapped token. */
export function addressOf(side: Side, { market }: ServedChain): Address {
  return side === 'native' ? market.wrappedNative : side;
}

/** Returns the refusal of calldata for a router without an encoder. */
export function refuseNoEncoder(router: RouterName): Refusal {
  const message = `Parameter 'router' is '${router}', which has no encoder: ask without calldata, or another router whose hasEncoder is true.`;
  return refuse('NO_ENCODER', message, { parameter: 'router', value: router });
}
