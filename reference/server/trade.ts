import type { ResolvedRouter } from '../encoding/encoders.ts';
import type { Address } from '../planner/domain/address.ts';
import type { RoutingRequest, SwapAmount } from '../planner/graph/plan.ts';
import { RequestError } from './errors.ts';
import {
  ADDRESS,
  AMOUNT,
  invalid,
  missing,
  type PARAMETERS,
  SLIPPAGE,
  type Values,
} from './parameters.ts';
import type { ServedChain } from './served-chain.ts';

const NATIVE_ALIASES: readonly string[] = [
  '0x0000000000000000000000000000000000000000',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
];

/** The parameters of `/swap`, each of which has been validated separately. */
export type SwapParameters = Values<typeof PARAMETERS.swap>;

/** One side of a trade: the address of an ERC-20 token, or the native token. */
type Side = Address | 'native';

/** A requested trade on its chain, with every name resolved. */
export type Trade = {
  readonly chain: ServedChain;
  readonly sell: Side;
  readonly buy: Side;
  readonly router: ResolvedRouter;
  readonly routing: RoutingRequest;
  /** True if makers' orders are requested, and the router can settle orders. */
  readonly usesMakers: boolean;
  /** Set if calldata is requested. */
  readonly settlement?: SettlementRequest & {
    readonly encode: NonNullable<ResolvedRouter['encode']>;
  };
};

/** Accounts and slippage tolerance for the requested calldata. */
export type SettlementRequest = {
  readonly user: Address;
  readonly recipient?: Address;
  readonly slippageBps: number;
};

/**
 * Returns the trade that the parameters of a request describe.
 * @throws {RequestError} for the first broken rule that concerns several parameters, or the first
 * token or router that the chain does not have
 */
export function resolveTrade(
  parameters: SwapParameters,
  chainOf: (chainId: number) => ServedChain,
): Trade {
  const amount = parseAmounts(parameters);
  const requested = parameters.includeCalldata ? parseSettlement(parameters) : undefined;
  const chain = chainOf(parameters.chainId);
  const { market, routers } = chain;
  const sides = {
    sellToken: parseSide(parameters.sellToken),
    buyToken: parseSide(parameters.buyToken),
  };
  for (const [parameter, side] of Object.entries(sides)) {
    if (side === 'native' || market.tokens.has(side)) continue;
    const message = `Parameter '${parameter}' is '${side}': expected a token of chain ${market.chainId}.`;
    throw new RequestError('UNKNOWN_TOKEN', message, { details: { parameter, value: side } });
  }
  const { sellToken: sell, buyToken: buy } = sides;
  const addressOf = (side: Side): Address => (side === 'native' ? market.wrappedNative : side);
  const [sellToken, buyToken] = [addressOf(sell), addressOf(buy)];
  if (sellToken === buyToken) {
    const message = `Parameters 'sellToken' (${sell}) and 'buyToken' (${buy}) are one asset: expected two.`;
    throw new RequestError('SAME_TOKEN', message, {
      details: { parameters: ['sellToken', 'buyToken'] },
    });
  }
  const router = routers.find(({ name }) => name === parameters.router);
  if (!router) {
    const expected = routers.map(({ name }) => name).join(', ');
    const message = `Parameter 'router' is '${parameters.router}', which is not deployed on chain ${market.chainId}: expected one of ${expected}.`;
    throw unusable('ROUTER_UNAVAILABLE', parameters.router, message);
  }
  const withMakers = parameters.useRfq && market.makerOrders ? router.withMakers : undefined;
  const constraints = withMakers ?? router.constraints;
  const routing = { sellToken, buyToken, ...amount, constraints };
  const trade = { chain, sell, buy, router, routing, usesMakers: withMakers !== undefined };
  if (requested === undefined) return trade;
  checkRecipient(chain, requested);
  const { encode } = router;
  if (encode) return { ...trade, settlement: { ...requested, encode } };
  const message = `Parameter 'router' is '${router.name}', which has no encoder: omit includeCalldata, or use a router whose hasEncoder is true.`;
  throw unusable('NO_ENCODER', router.name, message);
}

function unusable(code: 'ROUTER_UNAVAILABLE' | 'NO_ENCODER', value: string, message: string) {
  return new RequestError(code, message, { details: { parameter: 'router', value } });
}

function parseSide(address: Address): Side {
  return NATIVE_ALIASES.includes(address) ? 'native' : address;
}

// "Exactly one of sellAmount and buyAmount must be given, never both and never neither." (4.1 rule
// 1)
function parseAmounts({ sellAmount, buyAmount }: SwapParameters): SwapAmount {
  if (sellAmount !== undefined && buyAmount !== undefined) {
    const message = `Parameters 'sellAmount' (${sellAmount}) and 'buyAmount' (${buyAmount}) are both given: expected exactly one.`;
    throw new RequestError('CONFLICTING_PARAMETERS', message, {
      details: { parameters: ['sellAmount', 'buyAmount'] },
    });
  }
  if (sellAmount !== undefined) return { swapKind: 'exact-input', amount: sellAmount };
  if (buyAmount !== undefined) return { swapKind: 'exact-output', amount: buyAmount };
  throw missing('sellAmount', `this or 'buyAmount': ${AMOUNT.expected}`);
}

// "When includeCalldata=true, userAddress and slippageTolerance must be given." (4.1 rule 2)
function parseSettlement(parameters: SwapParameters): SettlementRequest {
  const { userAddress, recipientAddress, slippageTolerance } = parameters;
  if (userAddress === undefined) throw missing('userAddress', ADDRESS.expected);
  if (slippageTolerance === undefined) throw missing('slippageTolerance', SLIPPAGE.expected);
  for (const [name, address] of Object.entries({ userAddress, recipientAddress })) {
    if (address === undefined || !isReserved(address)) continue;
    throw invalid(
      name,
      address,
      'an account, neither an alias of the native token nor an address below 0x200',
    );
  }
  return {
    user: userAddress,
    ...(recipientAddress && { recipient: recipientAddress }),
    slippageBps: slippageTolerance,
  };
}

/**
 * Returns whether an address cannot send transactions and loses every payment that it receives: an
 * alias of the native token, or a precompile of Ethereum or a rollup (EIP-7587). The Universal
 * Router also interprets address 1 as the sender and address 2 as itself (`Constants.MSG_SENDER`,
 * `ADDRESS_THIS`).
 */
function isReserved(address: Address): boolean {
  return parseSide(address) === 'native' || BigInt(address) < 0x200n;
}

/** Rejects a contract of the market as recipient: the contract would lose the bought amount. */
function checkRecipient({ contracts, market }: ServedChain, request: SettlementRequest): void {
  const { user, recipient } = request;
  const kind = contracts.get(recipient ?? user);
  if (kind === undefined) return;
  const expected = `an account that can be paid, not ${kind} of chain ${market.chainId}`;
  throw invalid(recipient ? 'recipientAddress' : 'userAddress', recipient ?? user, expected);
}
