import type { Middleware } from 'koa';
import type {
  Route,
  RouteToken,
  SwapResponse,
  Token,
} from '../../../../conformance/contract/resources.ts';
import { middlewareOf } from './middleware.ts';
import type { Change } from './mutant.ts';

type Side = SwapResponse['sell'];

/**
 * Returns a change to a field that only plans with calldata have. If `change` returns `undefined`,
 * the field is unchanged.
 */
export function encoded(
  field: 'routerAddress' | 'calldata' | 'gasLimit',
  change: (text: string, plan: SwapResponse, query: URLSearchParams) => string | undefined,
): Change<SwapResponse> {
  return (plan, query) => {
    const text = plan[field];
    if (text !== undefined) plan[field] = change(text, plan, query) ?? text;
  };
}

/**
 * Returns a change to the deadline: the only word in the calldata that is a time within the next
 * hour.
 */
export function expiresIn(seconds: number) {
  return encoded('calldata', (calldata) => {
    const now = Math.floor(Date.now() / 1000);
    const deadline = calldata
      .slice(10)
      .match(/.{64}/g)
      ?.find((word) => {
        const value = BigInt(`0x${word}`);
        return value > BigInt(now) && value < BigInt(now + 3_600);
      });
    if (deadline === undefined) return undefined;
    return calldata.replace(deadline, (now + seconds).toString(16).padStart(64, '0'));
  });
}

/** Returns middleware that caches calldata by a key of the request. */
export function cacheCalldataBy(keyOf: (query: URLSearchParams) => string): () => Middleware {
  return () => {
    const cached = new Map<string, string>();
    const keep = encoded('calldata', (calldata, _, query) => {
      const key = keyOf(query);
      cached.set(key, cached.get(key) ?? calldata);
      return cached.get(key);
    });
    return middlewareOf({ plan: keep });
  };
}

export function tokenOf({ tokens }: SwapResponse, side: Side): Token | undefined {
  return tokens.find(({ referenceId }) => referenceId === side.referenceId);
}

/** Returns a change to the entry of `tokens` to which a side refers. */
export function putTokenOf(
  side: 'sell' | 'buy',
  values: (token: Token, plan: SwapResponse) => Partial<Token>,
): Change<SwapResponse> {
  return (plan) => {
    const token = tokenOf(plan, plan[side]);
    if (token) Object.assign(token, values(token, plan));
  };
}

/** Returns the reference id of an intermediate token; undefined if the plan has none. */
export function tokenBetween({ sell, buy, tokens }: SwapResponse): number | undefined {
  const ends = [sell.referenceId, buy.referenceId];
  return tokens.find(({ referenceId }) => !ends.includes(referenceId))?.referenceId;
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

/** Returns the leg of the first route out of a token. */
export function firstLegFrom(plan: SwapResponse, referenceId: number): RouteToken | undefined {
  return routesFrom(plan, referenceId)[0]?.fromTokens[0];
}

export function addTo(leg: { amount: string } | undefined, baseUnits: bigint): void {
  if (leg !== undefined) leg.amount = String(BigInt(leg.amount) + baseUnits);
}

/** Spends one base unit of the sell token too much. */
export function overspend(plan: SwapResponse): void {
  addTo(firstLegFrom(plan, plan.sell.referenceId), 1n);
}

/**
 * Makes a plan better or worse by the given parts per million of the amount bought (exact input) or
 * sold (exact output).
 * @see scaleSide
 */
export function reprice(plan: SwapResponse, query: URLSearchParams, ppm: bigint): void {
  if (query.has('sellAmount')) scaleSide(plan, 'buy', ppm);
  else scaleSide(plan, 'sell', -ppm);
}

/**
 * Changes the amount bought or sold by the given parts per million, but by at least one base unit.
 * The plan stays valid: every token is conserved. A plan that would buy or sell nothing is left
 * unchanged.
 */
export function scaleSide(plan: SwapResponse, name: 'buy' | 'sell', ppm: bigint): void {
  const side = plan[name];
  const legs =
    name === 'buy'
      ? routesInto(plan, side.referenceId).flatMap(({ toTokens }) => toTokens)
      : routesFrom(plan, side.referenceId).flatMap(({ fromTokens }) => fromTokens);
  const largest = legs.reduce((left, leg) =>
    BigInt(leg.amount) > BigInt(left.amount) ? leg : left,
  );
  const minChange = ppm < 0n ? -1n : 1n;
  const baseUnits = (BigInt(side.amount) * ppm) / 1_000_000n || minChange;
  if (BigInt(largest.amount) + baseUnits <= 0n) return;
  addTo(side, baseUnits);
  addTo(largest, baseUnits);
}

/** Returns the USD value of one side of a plan, at the plan's prices. */
export function usdValue(plan: SwapResponse, side: Side): number {
  const token = tokenOf(plan, side);
  return token === undefined ? 0 : (Number(side.amount) / 10 ** token.decimals) * token.usdPrice;
}
