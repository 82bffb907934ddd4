import { planIn, readSwapBody } from '../checks/plan.ts';
import type { SwapResponse } from '../contract/resources.ts';
import type { Rpc } from '../execution/json-rpc.ts';
import { asSwapPlan } from '../execution/read-swap-plan.ts';

export type EncodeOptions = {
  /** The URL of a node of the plan's chain, or a function that calls one. It is used to read the kinds of pools. */
  readonly node: string | Rpc;
  /** The Universal Router, from which the manager of Uniswap V4's pools is read; required to encode these pools. */
  readonly router?: `0x${string}`;
  /**
   * Minimum amount to receive, in base units of the buy token: usually `buy.amount` less the slippage
   * tolerance.
   */
  readonly leastBought: bigint;
  /** Unix time in seconds, after which the transaction reverts. */
  readonly deadline: number;
  /** Whether native is sent with the transaction and wrapped; default: `sell.wrapFromNative`. */
  readonly sellNative?: boolean;
  /** Whether the sender receives native; default: `buy.unwrapToNative`. */
  readonly buyNative?: boolean;
};

/** A transaction to the Universal Router, or the reason why the plan cannot be encoded for it. */
export type Encoded =
  | {
      readonly kind: 'encoded';
      readonly calldata: `0x${string}`;
      /** Native to send with the transaction, in wei. */
      readonly value: bigint;
    }
  | { readonly kind: 'not-encodable'; readonly why: string };

/**
 * Returns the calldata of Uniswap's Universal Router that settles a plan as exact input, for the
 * sender. Plans through pools of Uniswap V2, V3 and V4 without hooks can be encoded; each pool is
 * confirmed by its factory. The user must approve the sold token to Permit2, and the router in
 * Permit2.
 *
 * @throws {NodeUnreachableError} if the node does not respond.
 * @see https://github.com/Uniswap/universal-router/blob/main/contracts/base/Dispatcher.sol
 * @example
 * const encoded = await encodeForUniversalRouter(plan, { node, leastBought: 990n, deadline });
 * if (encoded.kind === 'encoded') encoded.calldata // '0x3593564c...'
 */
export async function encodeForUniversalRouter(
  body: SwapResponse,
  { node, router, leastBought, deadline, ...options }: EncodeOptions,
): Promise<Encoded> {
  const read = planIn(readSwapBody(body));
  const plan = read && asSwapPlan(read);
  if (plan === undefined) return { kind: 'not-encodable', why: 'the plan cannot be read' };
  const { sellNative = body.sell.wrapFromNative ?? false } = options;
  const { buyNative = body.buy.unwrapToNative ?? false } = options;
  // Loaded on demand, since the Ethereum library is large.
  const [{ encodeUniversal }, { createRpc }] = await Promise.all([
    import('../execution/encode-universal.ts'),
    import('../execution/json-rpc.ts'),
  ]);
  const rpc = typeof node === 'string' ? createRpc(node) : node;
  const trade = { router, plan, sellNative, buyNative, leastBought, deadline };
  const calldata = await encodeUniversal(rpc, trade);
  if (!isHex(calldata)) return { kind: 'not-encodable', why: calldata };
  return { kind: 'encoded', calldata, value: sellNative ? plan.sell.amount : 0n };
}

function isHex(text: string): text is `0x${string}` {
  return text.startsWith('0x');
}
