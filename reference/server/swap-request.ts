import { NATIVE_ALIASES } from '../../conformance/contract/names.ts';
import type { RouterName } from '../../conformance/contract/resources.ts';
import type { Address } from '../planner/domain/address.ts';
import type { SwapAmount } from '../planner/graph/plan.ts';
import { type Refusal, refuse } from './errors.ts';
import { invalid, missing, type SwapParameters } from './parameters.ts';
import { ADDRESS, AMOUNT, SLIPPAGE } from './parsers.ts';

/** One side of a trade: an ERC-20 address, or native. */
export type Side = Address | 'native';

/** What `/swap` is asked, its parameters agreeing with each other. */
export type SwapRequest = SwapAmount & {
  readonly kind: 'swap-request';
  readonly chainId: number;
  readonly sell: Side;
  readonly buy: Side;
  readonly router: RouterName;
  /** Whether market makers are asked too. */
  readonly useRfq: boolean;
  /** Set when calldata is asked for. */
  readonly settlement: SettlementRequest | undefined;
};

/** Who trades, and how far the price may move. */
export type SettlementRequest = {
  readonly user: Address;
  readonly recipient: Address | undefined;
  readonly slippageBps: number;
};

/**
 * Returns the request that the parameters make, or the refusal of the first
 * rule over several parameters that they break.
 *
 * @see Specification 4.1 rules 1 and 2
 */
export function parseSwapRequest(parameters: SwapParameters): SwapRequest | Refusal {
  const exact = parseAmounts(parameters);
  if ('kind' in exact) return exact;
  const settlement = parameters.includeCalldata ? parseSettlement(parameters) : undefined;
  if (settlement && 'kind' in settlement) return settlement;
  return {
    kind: 'swap-request',
    chainId: parameters.chainId,
    sell: parseSide(parameters.sellToken),
    buy: parseSide(parameters.buyToken),
    ...exact,
    router: parameters.router,
    useRfq: parameters.useRfq,
    settlement,
  };
}

function parseSide(address: Address): Side {
  return (NATIVE_ALIASES as readonly string[]).includes(address) ? 'native' : address;
}

// "Exactly one of sellAmount and buyAmount must be given, never both and never neither." (4.1 rule 1)
function parseAmounts({ sellAmount, buyAmount }: SwapParameters): SwapAmount | Refusal {
  if (sellAmount !== undefined && buyAmount !== undefined) {
    const message = `Parameters 'sellAmount' (${sellAmount}) and 'buyAmount' (${buyAmount}) are both given: expected exactly one.`;
    return refuse('CONFLICTING_PARAMETERS', message, { parameters: ['sellAmount', 'buyAmount'] });
  }
  if (sellAmount !== undefined) return { swapKind: 'exact-input', amount: sellAmount };
  if (buyAmount !== undefined) return { swapKind: 'exact-output', amount: buyAmount };
  return missing('sellAmount', `this or 'buyAmount': ${AMOUNT.expected}`);
}

// "When includeCalldata=true, userAddress and slippageTolerance must be given." (4.1 rule 2)
function parseSettlement(parameters: SwapParameters): SettlementRequest | Refusal {
  const { userAddress, recipientAddress, slippageTolerance } = parameters;
  if (userAddress === undefined) return missing('userAddress', ADDRESS.expected);
  if (slippageTolerance === undefined) return missing('slippageTolerance', SLIPPAGE.expected);
  for (const [name, address] of Object.entries({ userAddress, recipientAddress })) {
    if (address !== undefined && isNobody(address)) {
      const expected = 'an account, not an alias of native nor an address below 0x200';
      return invalid(name, address, expected, []);
    }
  }
  return { user: userAddress, recipient: recipientAddress, slippageBps: slippageTolerance };
}

/**
 * Nobody can send from these, and what is sent to them is lost: the aliases of native, precompiles of Ethereum
 * and of rollups (EIP-7587), and `Constants.MSG_SENDER` and `ADDRESS_THIS`, 1 and 2, which the Universal Router
 * reads as the sender and as itself.
 */
function isNobody(address: Address): boolean {
  return parseSide(address) === 'native' || BigInt(address) < 0x200n;
}
