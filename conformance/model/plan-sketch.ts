import { balancePlan } from '../checks/conservation.ts';
import {
  type BodyLeg,
  type BodyRoute,
  type BodyToken,
  planIn,
  type ReferenceId,
  type SwapBody,
} from '../checks/plan.ts';
import { shorten } from '../contract/cut-text.ts';
import { type Static, Type } from '../contract/schema.ts';

/** Maximum number of edges in a sketch; a larger plan reports how many were omitted. */
export const MAX_SKETCH_EDGES = 60;
const MAX_SKETCH_TOKENS = 60;
const MAX_SIDE = 8;
const MAX_TEXT = 90;
/** Minimum positive share. Smaller shares of an amount cannot be computed exactly. */
const MIN_SHARE = 1e-7;

/** `ref` is the referenceId as JSON text, so the number 3 and the string "3" differ. */
const amount = { ref: Type.String(), amount: Type.String() };
const SketchAmountSchema = Type.Object(amount);

const SketchInflowSchema = Type.Object({
  ...amount,
  /** Share of all amounts that the plan's routes take from this token, from 0 to 1. */
  share: Type.Optional(Type.Number()),
});

const SketchTokenSchema = Type.Object({
  /** Index in the reply's `tokens`. */
  index: Type.Integer({ minimum: 0 }),
  ref: Type.String(),
  symbol: Type.String(),
  address: Type.String(),
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 18 })),
  /**
   * Base units that the plan leaves over at the token; negative if it overspends, absent if
   * balanced.
   */
  balance: Type.Optional(Type.String()),
});
export type SketchToken = Static<typeof SketchTokenSchema>;

const SketchRouteSchema = Type.Object({
  /** Index in the reply's `routes`. */
  index: Type.Integer({ minimum: 0 }),
  name: Type.String(),
  address: Type.String(),
  fromTokens: Type.Array(SketchInflowSchema),
  toTokens: Type.Array(SketchAmountSchema),
});
export type SketchRoute = Static<typeof SketchRouteSchema>;

/** Data from which a plan is drawn. The size is bounded for any reply. */
export const PlanSketchSchema = Type.Object({
  sell: Type.Optional(SketchAmountSchema),
  buy: Type.Optional(SketchAmountSchema),
  tokens: Type.Array(SketchTokenSchema),
  routes: Type.Array(SketchRouteSchema),
  omittedTokens: Type.Integer({ minimum: 0 }),
  omittedRoutes: Type.Integer({ minimum: 0 }),
});
export type PlanSketch = Static<typeof PlanSketchSchema>;

/**
 * Returns the sketch of a `/swap` reply's plan, or undefined if the body has none. The body is not
 * trusted: fields of a wrong type are quoted as JSON text. The route at `pointer` is always
 * included.
 *
 * @example sketchPlan(swapBodyIn(reply), '/routes/3/toTokens/0/amount')?.routes.length // 4
 */
export function sketchPlan(body: SwapBody | undefined, pointer?: string): PlanSketch | undefined {
  const { routes = [], tokens = [] } = body ?? {};
  if (body === undefined || (routes.length === 0 && tokens.length === 0)) return undefined;
  const [array, index] = (pointer ?? '').split('/').slice(1);
  const shownRoutes = routesWithinEdgeLimit(routes, array === 'routes' ? Number(index) : 0);
  const shownTokens = firstIndexes(
    tokens,
    MAX_SKETCH_TOKENS,
    array === 'tokens' ? Number(index) : 0,
  );
  const totals = totalOutflow(routes);
  const balances = imbalancesById(body);
  const [sell] = drawableLegs([body.sell]).map(sketchLeg);
  const [buy] = drawableLegs([body.buy]).map(sketchLeg);
  return {
    ...(sell && { sell }),
    ...(buy && { buy }),
    tokens: drawInOrder(tokens, shownTokens, (token, at) => sketchToken(token, at, balances)),
    routes: drawInOrder(routes, shownRoutes, (route, at) => sketchRoute(route, at, totals)),
    omittedTokens: tokens.length - shownTokens.length,
    omittedRoutes: routes.length - shownRoutes.length,
  };
}

function shortText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '(absent)');
  return shorten(text, MAX_TEXT);
}

function countEdges(route: BodyRoute | undefined): number {
  const side = (legs: readonly BodyLeg[] = []) => Math.min(MAX_SIDE, legs.length);
  return Math.max(1, side(route?.from) * side(route?.to));
}

function routesWithinEdgeLimit(routes: readonly BodyRoute[], wanted: number): number[] {
  let edges = 0;
  const order = firstIndexes(routes, MAX_SKETCH_EDGES, wanted);
  const beyond = order.findIndex((at, index) => {
    edges += countEdges(routes[at]);
    return index > 0 && edges > MAX_SKETCH_EDGES;
  });
  return beyond === -1 ? order : order.slice(0, beyond);
}

function firstIndexes(items: readonly unknown[], limit: number, wanted: number): number[] {
  const positions = [...items.slice(0, limit).keys()].filter((at) => at !== wanted);
  return wanted in items ? [wanted, ...positions].slice(0, limit) : positions;
}

function drawInOrder<Item, Drawn>(
  items: readonly Item[],
  positions: readonly number[],
  draw: (item: Item, at: number) => Drawn,
): Drawn[] {
  return positions
    .toSorted((a, b) => a - b)
    .flatMap((at) => items.slice(at, at + 1).map((item) => draw(item, at)));
}

function drawableLegs(legs: readonly BodyLeg[] = []): readonly BodyLeg[] {
  return legs.filter(({ fields }) => fields !== undefined);
}

function sketchLeg(leg: BodyLeg) {
  return { ref: idAsJson(leg), amount: shortText(leg.fields?.amount) };
}

function idAsJson({ referenceId, fields }: Pick<BodyLeg, 'referenceId' | 'fields'>): string {
  const text =
    referenceId === undefined ? JSON.stringify(fields?.referenceId) : String(referenceId);
  return shorten(text ?? '(absent)', MAX_TEXT);
}

function imbalancesById(body: SwapBody): ReadonlyMap<ReferenceId | undefined, bigint> {
  const plan = planIn(body);
  const { imbalances = [] } = plan === undefined ? {} : balancePlan(plan, 0);
  return new Map(
    imbalances.map(({ referenceId, inflow, outflow }) => [referenceId, inflow - outflow]),
  );
}

function sketchToken(
  token: BodyToken,
  index: number,
  balances: ReadonlyMap<ReferenceId | undefined, bigint>,
): SketchToken {
  const { decimals, fields } = token;
  const balance = balances.get(token.referenceId);
  return {
    index,
    ref: idAsJson(token),
    symbol: shortText(fields.symbol),
    address: shortText(fields.address),
    ...(decimals !== undefined && { decimals }),
    ...(balance !== undefined && { balance: String(balance) }),
  };
}

function sketchRoute(
  { fields, from, to }: BodyRoute,
  index: number,
  totals: ReadonlyMap<string, bigint>,
): SketchRoute {
  return {
    index,
    name: shortText(fields.name),
    address: shortText(fields.address),
    fromTokens: drawableLegs(from?.slice(0, MAX_SIDE)).map((leg) => ({
      ...sketchLeg(leg),
      ...shareOf(leg, totals),
    })),
    toTokens: drawableLegs(to?.slice(0, MAX_SIDE)).map(sketchLeg),
  };
}

function totalOutflow(routes: readonly BodyRoute[]): ReadonlyMap<string, bigint> {
  const totals = new Map<string, bigint>();
  for (const { from } of routes) {
    for (const leg of drawableLegs(from)) {
      const ref = idAsJson(leg);
      totals.set(ref, (totals.get(ref) ?? 0n) + (leg.amount ?? 0n));
    }
  }
  return totals;
}

function shareOf(leg: BodyLeg, totals: ReadonlyMap<string, bigint>): { share?: number } {
  const total = totals.get(idAsJson(leg)) ?? 0n;
  if (leg.amount === undefined || total === 0n) return {};
  const share = Number((leg.amount * 1_000_000n) / total) / 1_000_000;
  return { share: leg.amount > 0n ? Math.max(share, MIN_SHARE) : share };
}
