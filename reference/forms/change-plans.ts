import type { Route, RouteToken, SwapResponse } from '../../conformance/contract/resources.ts';

/** Renumbers the tokens of a plan. `idOf` receives the index of each token in `order`. */
export function renumber(
  plan: SwapResponse,
  idOf: (place: number) => number,
  order: readonly number[] = plan.tokens.map(({ referenceId }) => referenceId),
): void {
  const ids = new Map(order.map((id, place) => [id, idOf(place)]));
  const legs = plan.routes.flatMap(({ fromTokens, toTokens }) => [...fromTokens, ...toTokens]);
  for (const each of [plan.sell, plan.buy, ...plan.tokens, ...legs]) {
    each.referenceId = ids.get(each.referenceId) as number;
  }
}

/**
 * Sorts routes so that each follows the routes that produce its input, and numbers tokens from 0 in
 * order of appearance.
 */
export function sortPlan(plan: SwapResponse): void {
  const { sell, buy, tokens } = plan;
  const sorted: Route[] = [];
  for (let waiting = plan.routes; waiting.length > 0; ) {
    const awaited = new Set(waiting.flatMap(({ toTokens }) => idsOf(toTokens)));
    const ready = waiting.filter(({ fromTokens }) =>
      idsOf(fromTokens).every((id) => !awaited.has(id)),
    );
    sorted.push(...ready);
    waiting = waiting.filter((route) => !ready.includes(route));
  }
  plan.routes = sorted;
  const between = sorted.flatMap(({ toTokens }) => idsOf(toTokens));
  renumber(plan, (place) => place, [
    ...new Set([sell.referenceId, buy.referenceId, ...between, ...idsOf(tokens)]),
  ]);
  tokens.sort((one, other) => one.referenceId - other.referenceId);
}

/**
 * Adds dust to the inflow of each intermediate token, or removes dust from it. Changes the inflow
 * of the bought token by one base unit.
 */
export function leaveDust(plan: SwapResponse): void {
  for (const [place, { referenceId }] of plan.tokens.entries()) {
    const leg = plan.routes
      .flatMap(({ toTokens }) => toTokens)
      .find((each) => each.referenceId === referenceId);
    if (leg === undefined) continue;
    const amount = BigInt(leg.amount);
    const dust = referenceId === plan.buy.referenceId ? 1n : (amount * DUST_E8) / 10n ** 8n;
    const off = place % 2 === 0 || amount <= dust ? dust : -dust;
    leg.amount = String(amount + off);
  }
}

/**
 * In published plans of live services, up to this fraction of a flow is left over or overspent:
 * 5e-8.
 */
const DUST_E8 = 5n;

/** Splits the first route in two through the same pool: a third of the amount, then the rest. */
export function splitRoute({ routes }: SwapResponse): void {
  const [first] = routes;
  const [from, to] = [first?.fromTokens[0], first?.toTokens[0]];
  if (first === undefined || from === undefined || to === undefined) return;
  const [given, got] = [BigInt(from.amount), BigInt(to.amount)];
  if (given < 3n || got < 3n) return;
  const part = (given: bigint, got: bigint): Route => ({
    ...first,
    fromTokens: [{ ...from, amount: String(given) }],
    toTokens: [{ ...to, amount: String(got) }],
  });
  routes.splice(0, 1, part(given / 3n, got / 3n), part(given - given / 3n, got - got / 3n));
}

function idsOf(entries: readonly Pick<RouteToken, 'referenceId'>[]): number[] {
  return entries.map(({ referenceId }) => referenceId);
}
