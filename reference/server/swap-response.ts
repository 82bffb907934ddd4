import { createHash } from 'node:crypto';
import type { SwapResponse, Token as WireToken } from '../../conformance/contract/resources.ts';
import type { Address } from '../domain/address.ts';
import { familyOf } from '../pools/families.ts';
import type { RoutingPlan } from '../routing/graph/plan.ts';
import type { ResolvedSwap } from './resolve-swap.ts';

/** The service's own name (2.1 `aggregator`). */
export const AGGREGATOR = 'swapcheck-reference';

/**
 * Returns the reply that a plan makes, without calldata. Reference ids leave
 * gaps, and neither tokens nor routes come in an order that means anything:
 * clients that count on more than is promised find out here. One trade is
 * always answered alike.
 *
 * @see Specification 2.1 to 2.5
 */
export function describePlan(
  { chain: { market, usdPriceOf, checksumOf }, router, sell, buy }: ResolvedSwap,
  plan: RoutingPlan,
): SwapResponse {
  const { sellToken, buyToken, sellAmount, buyAmount } = plan;
  const involved = plan.swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]);
  const known = [...new Set([sellToken, buyToken, ...involved])];
  const seed = `${sellToken} ${buyToken} ${sellAmount} ${buyAmount}`;
  const draw = drawFrom(seed, 2 * known.length + plan.swaps.length);
  const tokens = shuffled(known, draw);
  const ids = shuffled([...tokens.keys()], draw).map((id, at) => ID_STEP * id + (at % ID_STEP));
  const references = new Map(tokens.map((token, at) => [token, ids[at] as number]));
  const amountOf = (token: Address, amount: bigint) => ({
    referenceId: references.get(token) as number,
    amount: amount.toString(),
  });
  const describeToken = ([address, referenceId]: [Address, number]): WireToken => {
    const token = market.tokens.get(address);
    if (!token) throw new UnknownPlanTokenError(address);
    const { name, symbol, decimals } = token;
    const usdPrice = usdPriceOf(address);
    return { referenceId, address: checksumOf(address), name, symbol, decimals, usdPrice };
  };
  return {
    aggregator: AGGREGATOR,
    router: router.name,
    // "Present when the sell token is the native token and needs wrapping" (2.2)
    sell: {
      ...amountOf(plan.sellToken, plan.sellAmount),
      ...(sell === 'native' && { wrapFromNative: true }),
    },
    buy: {
      ...amountOf(plan.buyToken, plan.buyAmount),
      ...(buy === 'native' && { unwrapToNative: true }),
    },
    nativeTokenUsdPrice: usdPriceOf(market.wrappedNative),
    tokens: [...references].map(describeToken),
    routes: shuffled(plan.swaps, draw).map(({ pool, tokenIn, tokenOut, amountIn, amountOut }) => ({
      address: checksumOf(pool.address),
      name: pool.source,
      details: familyOf(pool).details(pool),
      fromTokens: [amountOf(tokenIn, amountIn)],
      toTokens: [amountOf(tokenOut, amountOut)],
    })),
  };
}

/** A gap between reference ids is as wide at most as two of these. */
const ID_STEP = 16;

/** Draws so many whole numbers that depend on the seed alone: one digest, however many. */
function drawFrom(seed: string, count: number): () => number {
  const digest = createHash('shake256', { outputLength: 4 * count })
    .update(seed)
    .digest();
  let drawn = 0;
  return () => digest.readUInt32BE(4 * drawn++);
}

function shuffled<Value>(values: readonly Value[], draw: () => number): Value[] {
  const keyed = values.map((value) => ({ value, key: draw() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ value }) => value);
}

/** Thrown for a plan through a token that its market does not know. */
export class UnknownPlanTokenError extends Error {
  override readonly name = 'UnknownPlanTokenError';

  constructor(address: Address) {
    super(`The plan trades ${address}, which is no token of its market`);
  }
}
