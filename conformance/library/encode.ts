import { planIn, readSwapBody } from '../checks/plan.ts';
import type { SwapResponse } from '../contract/resources.ts';
import type { Rpc } from '../execution/json-rpc.ts';
import { asSwapPlan } from '../execution/read-swap-plan.ts';

export type EncodeOptions = {
  /** The URL of a node of the plan's chain, or a function that calls one: pools are asked what they are. */
  readonly node: string | Rpc;
  /** The Universal Router, which is asked for the manager of Uniswap V4's pools; without it none of these are encoded. */
  readonly router?: `0x${string}`;
  /** The least to be received, in base units of the buy token; what the slippage tolerance leaves of `buy.amount`, say. */
  readonly leastBought: bigint;
  /** Unix time in seconds, after which the transaction reverts. */
  readonly deadline: number;
  /** Native is sent with the transaction, and wrapped; default: what `sell.wrapFromNative` says. */
  readonly sellNative?: boolean;
  /** The sender receives native; default: what `buy.unwrapToNative` says. */
  readonly buyNative?: boolean;
};

/** A transaction to the Universal Router, without its address; or why the plan is none for it. */
export type Encoded =
  | {
      readonly kind: 'encoded';
      readonly calldata: `0x${string}`;
      /** Native to send along, in wei. */
      readonly value: bigint;
    }
  | { readonly kind: 'not-encodable'; readonly why: string };

/**
 * Returns the calldata of Uniswap's Universal Router that settles a plan as
 * exact input, for the sender. Plans through pools of Uniswap V2, V3 and V4 without
 * hooks can be encoded; each pool's factory is asked before it is trusted. What is sold must
 * be approved to Permit2, and by it to the router.
 *
 * @throws {NodeUnreachableError} where the node does not answer.
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
  if (plan === undefined) return { kind: 'not-encodable', why: 'it is no plan that can be read' };
  const { sellNative = body.sell.wrapFromNative ?? false } = options;
  const { buyNative = body.buy.unwrapToNative ?? false } = options;
  // Loaded only now: the library of the chain is large.
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
