import type { Route, SwapResponse, Token } from '../../conformance/contract/resources.ts';

/** Returns the reference id of a token between the two ends, or undefined in a plan without one. */
export function tokenBetween({ sell, buy, tokens }: SwapResponse): number | undefined {
  const ends = [sell.referenceId, buy.referenceId];
  return tokens.find(({ referenceId }) => !ends.includes(referenceId))?.referenceId;
}

/** Adds a token that the plan did not have, like its first; returns its reference id. */
export function addToken({ tokens }: SwapResponse, nibble = '7'): number {
  const referenceId = 1 + Math.max(...tokens.map((token) => token.referenceId));
  const like = tokens[0] as Token;
  const name = `Fresh ${nibble}`;
  tokens.push({ ...like, referenceId, address: `0x${nibble.repeat(40)}`, name, symbol: name });
  return referenceId;
}

/** Adds a swap through a pool of the plan. */
export function addRoute(
  plan: SwapResponse,
  from: number,
  to: number,
  amountIn: bigint,
  amountOut = amountIn,
): void {
  const like = plan.routes[0] as Route;
  plan.routes.push({
    ...like,
    fromTokens: [{ referenceId: from, amount: String(amountIn) }],
    toTokens: [{ referenceId: to, amount: String(amountOut) }],
  });
}

/** Returns the plan's routes out of a token. */
export function routesFrom({ routes }: SwapResponse, referenceId: number): readonly Route[] {
  return routes.filter(({ fromTokens }) =>
    fromTokens.some((leg) => leg.referenceId === referenceId),
  );
}

/** Returns the plan's routes into a token. */
export function routesInto({ routes }: SwapResponse, referenceId: number): readonly Route[] {
  return routes.filter(({ toTokens }) => toTokens.some((leg) => leg.referenceId === referenceId));
}

/** Adds base units to the amount of an object. */
export function addTo(leg: { amount: string } | undefined, baseUnits: bigint): void {
  if (leg !== undefined) leg.amount = String(BigInt(leg.amount) + baseUnits);
}

/**
 * Makes a plan better or worse by parts per million of what is bought (exact
 * input) or sold (exact output), and leaves it sound: every token is conserved.
 * At least one base unit; a plan that would buy or sell nothing is left alone.
 */
export function reprice(plan: SwapResponse, query: URLSearchParams, ppm: bigint): void {
  const isExactInput = query.has('sellAmount');
  const side = isExactInput ? plan.buy : plan.sell;
  const legs = isExactInput
    ? routesInto(plan, side.referenceId).flatMap(({ toTokens }) => toTokens)
    : routesFrom(plan, side.referenceId).flatMap(({ fromTokens }) => fromTokens);
  const largest = legs.reduce((most, leg) =>
    BigInt(leg.amount) > BigInt(most.amount) ? leg : most,
  );
  const share = (BigInt(side.amount) * ppm) / 1_000_000n;
  const least = ppm < 0n ? -1n : 1n;
  const baseUnits = (share === 0n ? least : share) * (isExactInput ? 1n : -1n);
  if (BigInt(largest.amount) + baseUnits <= 0n) return;
  addTo(side, baseUnits);
  addTo(largest, baseUnits);
}

/** Returns what a side of a plan is worth in USD by the plan's own prices. */
export function usdValue({ tokens }: SwapResponse, side: SwapResponse['sell']): number {
  const token = tokens.find(({ referenceId }) => referenceId === side.referenceId);
  return token === undefined ? 0 : (Number(side.amount) / 10 ** token.decimals) * token.usdPrice;
}
