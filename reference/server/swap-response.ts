import { createHash } from 'node:crypto';
import type { Address } from '../planner/domain/address.ts';
import { keptWith } from '../planner/domain/kept-with.ts';
import type { RoutingPlan } from '../planner/graph/plan.ts';
import { familyOf, type Pool } from '../planner/pools/families.ts';
import type { ResolvedSwap } from './resolve-swap.ts';
import type { ServedChain } from './served-chain.ts';

/** The service's own name (2.1 `aggregator`). */
const AGGREGATOR = 'swapcheck-reference';

/**
 * Returns the reply that a plan makes as JSON, without calldata. Reference ids leave
 * gaps, and neither tokens nor routes come in an order that means anything:
 * clients that count on more than is promised find out here. One trade is
 * always answered alike.
 *
 * @see Specification 2.1 to 2.5
 */
export function writePlan({ chain, router, sell, buy }: ResolvedSwap, plan: RoutingPlan): string {
  const { sellToken, buyToken, sellAmount, buyAmount, swaps } = plan;
  const { textOfToken, textOfPool, nativeUsdPrice } = textsOf(chain);
  const involved = new Set([sellToken, buyToken]);
  for (const { tokenIn, tokenOut } of swaps) involved.add(tokenIn).add(tokenOut);
  const seed = `${sellToken} ${buyToken} ${sellAmount} ${buyAmount}`;
  const draw = drawFrom(seed, 2 * involved.size + swaps.length);
  const tokens = shuffled([...involved], draw);
  const ids = shuffled([...tokens.keys()], draw).map((id, at) => ID_STEP * id + (at % ID_STEP));
  const amountOf = (token: Address, amount: bigint) =>
    `{"referenceId":${ids[tokens.indexOf(token)]},"amount":"${amount}"`;
  const tokenTexts = tokens.map((token, at) => `{"referenceId":${ids[at]},${textOfToken(token)}`);
  const routeTexts = shuffled(swaps, draw).map(
    ({ pool, tokenIn, tokenOut, amountIn, amountOut }) =>
      `${textOfPool(pool)},"fromTokens":[${amountOf(tokenIn, amountIn)}}],"toTokens":[${amountOf(tokenOut, amountOut)}}]}`,
  );
  // "Present when the sell token is the native token and needs wrapping" (2.2)
  const wraps = sell === 'native' ? ',"wrapFromNative":true' : '';
  const unwraps = buy === 'native' ? ',"unwrapToNative":true' : '';
  return `{"aggregator":"${AGGREGATOR}","router":${JSON.stringify(router.name)},"sell":${amountOf(sellToken, sellAmount)}${wraps}},"buy":${amountOf(buyToken, buyAmount)}${unwraps}},"nativeTokenUsdPrice":${nativeUsdPrice},"tokens":[${tokenTexts.join()}],"routes":[${routeTexts.join()}]}`;
}

/** What replies of a chain repeat, written once: of a token what follows its id, of a route what stands before its amounts. */
const textsOf = keptWith(({ market, usdPriceOf, checksumOf }: ServedChain) => {
  const tokenTexts = new Map<Address, string>();
  const writeToken = (address: Address): string => {
    const token = market.tokens.get(address);
    if (!token) throw new UnknownPlanTokenError(address);
    const { name, symbol, decimals } = token;
    const usdPrice = usdPriceOf(address);
    return JSON.stringify({ address: checksumOf(address), name, symbol, decimals, usdPrice });
  };
  return {
    nativeUsdPrice: JSON.stringify(usdPriceOf(market.wrappedNative)),
    textOfToken: (address: Address): string => {
      const text = tokenTexts.get(address) ?? writeToken(address).slice(1);
      tokenTexts.set(address, text);
      return text;
    },
    textOfPool: keptWith((pool: Pool) => {
      const details = familyOf(pool).details(pool);
      const route = { address: checksumOf(pool.address), name: pool.source, details };
      return JSON.stringify(route).slice(0, -1);
    }),
  };
});

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
  const keys: number[] = [];
  const sorted: Value[] = [];
  // So few that each is put in its place faster than they are sorted.
  for (const value of values) {
    const key = draw();
    const above = keys.findIndex((other) => other > key);
    const at = above < 0 ? keys.length : above;
    keys.splice(at, 0, key);
    sorted.splice(at, 0, value);
  }
  return sorted;
}

/** Thrown for a plan through a token that its market does not know. */
export class UnknownPlanTokenError extends Error {
  override readonly name = 'UnknownPlanTokenError';

  constructor(address: Address) {
    super(`The plan trades ${address}, which is no token of its market`);
  }
}
