import type { ResolvedRouter } from '../encoding/encoders.ts';
import type { Market } from '../market/market.ts';
import type { Address } from '../planner/domain/address.ts';
import { keptWith } from '../planner/domain/kept-with.ts';
import type { RoutingRequest } from '../planner/graph/plan.ts';
import { type Refusal, refuse } from './errors.ts';
import { invalid } from './parameters.ts';
import type { ServedChain } from './served-chain.ts';
import type { SettlementRequest, Side, SwapRequest } from './swap-request.ts';

/** A swap on its chain, all of its names resolved. */
export type ResolvedSwap = {
  readonly kind: 'resolved-swap';
  readonly chain: ServedChain;
  readonly sell: Side;
  readonly buy: Side;
  readonly router: ResolvedRouter;
  readonly routing: RoutingRequest;
  /** Whether makers' orders may be part of the plan: they are wanted, and the router can settle them. */
  readonly usesMakers: boolean;
  /** Set when calldata is asked for. */
  readonly settlement?: SettlementRequest & {
    readonly encode: NonNullable<ResolvedRouter['encode']>;
  };
};

/** Returns the swap that is asked for, or the refusal of the first name that the chain does not know. */
export function resolveSwap(chain: ServedChain, request: SwapRequest): ResolvedSwap | Refusal {
  const { market, routers } = chain;
  const { sell, buy, swapKind, amount, settlement } = request;
  for (const [parameter, side] of Object.entries({ sellToken: sell, buyToken: buy })) {
    if (side === 'native' || market.tokens.has(side)) continue;
    const message = `Parameter '${parameter}' is '${side}': expected a token of chain ${market.chainId}.`;
    return refuse('UNKNOWN_TOKEN', message, { parameter, value: side });
  }
  const addressOf = (side: Side): Address => (side === 'native' ? market.wrappedNative : side);
  const [sellToken, buyToken] = [addressOf(sell), addressOf(buy)];
  if (sellToken === buyToken) {
    const message = `Parameters 'sellToken' (${sell}) and 'buyToken' (${buy}) are one asset: expected two.`;
    return refuse('SAME_TOKEN', message, { parameters: ['sellToken', 'buyToken'] });
  }
  const router = routers.find(({ name }) => name === request.router);
  if (!router) {
    const expected = routers.map(({ name }) => name).join(', ');
    const message = `Parameter 'router' is '${request.router}', which is not deployed on chain ${market.chainId}: expected one of ${expected}.`;
    return refuse('ROUTER_UNAVAILABLE', message, { parameter: 'router', value: request.router });
  }
  const { encode } = router;
  const withMakers = request.useRfq && market.makerOrders ? router.withMakers : undefined;
  const constraints = withMakers ?? router.constraints;
  const routing = { sellToken, buyToken, swapKind, amount, constraints };
  const usesMakers = withMakers !== undefined;
  const swap = { kind: 'resolved-swap', chain, sell, buy, router, routing, usesMakers } as const;
  if (!settlement) return swap;
  const refusal = refuseContract(market, settlement);
  if (refusal) return refusal;
  if (encode) return { ...swap, settlement: { ...settlement, encode } };
  const message = `Parameter 'router' is '${router.name}', which has no encoder: ask without calldata, or another router whose hasEncoder is true.`;
  return refuse('NO_ENCODER', message, { parameter: 'router', value: router.name });
}

/** What is paid to a router or its proxy, anyone may take; to a token or a vault, no one; to a pool, its next trade. */
const contractsOf = keptWith(
  ({ routers, tokens, pools, makerOrders }: Market): ReadonlyMap<Address, string> =>
    new Map([
      ...[...tokens.keys()].map((address) => [address, 'a token'] as const),
      ...pools.map(({ address }) => [address, 'a pool'] as const),
      ...pools.flatMap((pool) =>
        'vault' in pool ? [[pool.vault, 'a vault of pools'] as const] : [],
      ),
      ...(makerOrders ? [[makerOrders, 'a contract that fills orders'] as const] : []),
      ...routers.flatMap(({ address, tokenProxy }) => [
        [address, 'a router'] as const,
        ...(tokenProxy ? [[tokenProxy, 'a token proxy'] as const] : []),
      ]),
    ]),
);

/** Returns the refusal of a recipient that is a contract of the market: what is bought would be lost. */
function refuseContract(market: Market, settlement: SettlementRequest): Refusal | undefined {
  const { user, recipient } = settlement;
  const contract = contractsOf(market).get(recipient ?? user);
  if (contract === undefined) return undefined;
  const expected = `an account that can be paid, not ${contract} of chain ${market.chainId}`;
  return invalid(recipient ? 'recipientAddress' : 'userAddress', recipient ?? user, expected, []);
}
