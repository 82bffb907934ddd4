import { createHash } from 'node:crypto';
import { getAddress } from 'viem/utils';
import type { SwapResponse } from '../../conformance/contract/resources.ts';
import type { Address } from '../planner/domain/address.ts';
import type { RoutingPlan } from '../planner/graph/plan.ts';
import { familyOf } from '../planner/pools/families.ts';
import type { Trade } from './trade.ts';

const AGGREGATOR = 'swapcheck-reference';

/** Two consecutive ids differ by less than twice this spacing. */
const ID_STEP = 16;

/**
 * Returns the reply for a plan, without calldata. Reference ids have gaps, and the order of tokens
 * and routes is arbitrary, so that a client fails early if it relies on more than the specification
 * promises. Equal trades have equal replies.
 *
 * @see Specification 2.1 to 2.5
 */
export function describePlan({ chain, router, sell, buy }: Trade, plan: RoutingPlan): SwapResponse {
  const { market, usdPrices } = chain;
  const { sellToken, buyToken, sellAmount, buyAmount, swaps } = plan;
  const involved = new Set([sellToken, buyToken]);
  for (const { tokenIn, tokenOut } of swaps) involved.add(tokenIn).add(tokenOut);
  const seed = `${sellToken} ${buyToken} ${sellAmount} ${buyAmount}`;
  const draw = drawFrom(seed, 2 * involved.size + swaps.length);
  const addresses = shuffled([...involved], draw);
  const ids = new Map(
    shuffled([...addresses.keys()], draw).map((id, at) => [
      addresses[at],
      ID_STEP * id + (at % ID_STEP),
    ]),
  );
  const idOf = (token: Address) => ids.get(token) as number;
  const amountOf = (token: Address, amount: bigint) => ({
    referenceId: idOf(token),
    amount: `${amount}`,
  });
  return {
    aggregator: AGGREGATOR,
    router: router.name,
    // "Present when the sell token is the native token and needs wrapping" (2.2)
    sell: {
      ...amountOf(sellToken, sellAmount),
      ...(sell === 'native' && { wrapFromNative: true }),
    },
    buy: { ...amountOf(buyToken, buyAmount), ...(buy === 'native' && { unwrapToNative: true }) },
    nativeTokenUsdPrice: usdPrices.get(market.wrappedNative) ?? 0,
    tokens: addresses.map((address) => {
      const token = market.tokens.get(address);
      if (!token) throw new UnknownPlanTokenError(address);
      const { name, symbol, decimals } = token;
      const usdPrice = usdPrices.get(address) ?? 0;
      return {
        referenceId: idOf(address),
        address: getAddress(address),
        name,
        symbol,
        decimals,
        usdPrice,
      };
    }),
    routes: shuffled(swaps, draw).map(({ pool, tokenIn, tokenOut, amountIn, amountOut }) => ({
      address: getAddress(pool.address),
      name: pool.source,
      details: familyOf(pool).details(pool),
      fromTokens: [amountOf(tokenIn, amountIn)],
      toTokens: [amountOf(tokenOut, amountOut)],
    })),
  };
}

/** Returns a function that draws up to `count` integers, which the seed determines. */
function drawFrom(seed: string, count: number): () => number {
  const digest = createHash('shake256', { outputLength: 4 * count })
    .update(seed)
    .digest();
  let drawn = 0;
  return () => digest.readUInt32BE(4 * drawn++);
}

function shuffled<Value>(values: readonly Value[], draw: () => number): Value[] {
  return values
    .map((value) => ({ value, key: draw() }))
    .sort((one, other) => one.key - other.key)
    .map(({ value }) => value);
}

class UnknownPlanTokenError extends Error {
  override readonly name = 'UnknownPlanTokenError';

  constructor(address: Address) {
    super(`The plan trades ${address}, which is not a token of its market`);
  }
}
