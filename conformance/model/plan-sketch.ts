import { type Static, Type } from 'typebox';

/** Edges a sketch keeps; a plan of more says how many it left out. */
export const MAX_SKETCH_EDGES = 60;
const MAX_SKETCH_TOKENS = 60;
const MAX_SIDE = 8;
const MAX_TEXT = 90;
/** Digits of the largest uint256; longer text is quoted and never computed with. */
const MAX_DIGITS = 78;

const SketchAmountSchema = Type.Object({
  /** The referenceId as JSON text, so that the number 3 and the string "3" stay apart. */
  ref: Type.String(),
  amount: Type.String(),
});

const SketchInflowSchema = Type.Object({
  ref: Type.String(),
  amount: Type.String(),
  /** Part of all that the plan's routes take from this token, 0 to 1. */
  share: Type.Optional(Type.Number()),
});

const SketchTokenSchema = Type.Object({
  /** Position in the reply's `tokens`, as JSON pointers count. */
  index: Type.Integer({ minimum: 0 }),
  ref: Type.String(),
  symbol: Type.String(),
  address: Type.String(),
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 18 })),
});
export type SketchToken = Static<typeof SketchTokenSchema>;

const SketchRouteSchema = Type.Object({
  /** Position in the reply's `routes`, as JSON pointers count. */
  index: Type.Integer({ minimum: 0 }),
  name: Type.String(),
  address: Type.String(),
  fromTokens: Type.Array(SketchInflowSchema),
  toTokens: Type.Array(SketchAmountSchema),
});
export type SketchRoute = Static<typeof SketchRouteSchema>;

/** What a graph of a plan needs, of bounded size whatever the service sent. */
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
 * Returns the sketch of a `/swap` reply's plan, or undefined where the document
 * holds none. Nothing in it is trusted: fields of a wrong type are quoted as
 * JSON text, and the route that `pointer` names is always kept.
 *
 * @example sketchPlan(document, '/routes/3/toTokens/0/amount')?.routes.length // 4
 */
export function sketchPlan(document: unknown, pointer?: string): PlanSketch | undefined {
  const plan = record(document);
  const routes = list(plan?.routes);
  const tokens = list(plan?.tokens);
  if (plan === undefined || (routes.length === 0 && tokens.length === 0)) return undefined;
  const [array, index] = (pointer ?? '').split('/').slice(1);
  const keptRoutes = keep(routes.map(sides), array === 'routes' ? index : undefined);
  const keptTokens = new Set(first(tokens, MAX_SKETCH_TOKENS, array === 'tokens' ? index : '0'));
  const totals = totalOutflow(routes);
  const sell = amountOf(plan.sell);
  const buy = amountOf(plan.buy);
  return {
    ...(sell && { sell }),
    ...(buy && { buy }),
    tokens: tokens.flatMap((token, at) => (keptTokens.has(at) ? [sketchToken(token, at)] : [])),
    routes: keptRoutes.map((at) => sketchRoute(routes[at], at, totals)),
    omittedTokens: tokens.length - keptTokens.size,
    omittedRoutes: routes.length - keptRoutes.length,
  };
}

/** Returns a value as short text: strings as they are, anything else as JSON. */
function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '(absent)');
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}

/** An object of the wire, none of whose fields is known to be there. */
type Loose = Partial<
  Record<
    | 'sell'
    | 'buy'
    | 'tokens'
    | 'routes'
    | 'referenceId'
    | 'amount'
    | 'symbol'
    | 'address'
    | 'decimals'
    | 'name'
    | 'fromTokens'
    | 'toTokens',
    unknown
  >
>;

function record(value: unknown): Loose | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Edges of one route: every token in to every token out, at least one. */
function sides(route: unknown): number {
  const entry = record(route);
  const side = (key: 'fromTokens' | 'toTokens') => Math.min(MAX_SIDE, list(entry?.[key]).length);
  return Math.max(1, side('fromTokens') * side('toTokens'));
}

function keep(edgesByRoute: readonly number[], wanted: string | undefined): number[] {
  const order = first(edgesByRoute, edgesByRoute.length, wanted);
  const kept: number[] = [];
  let edges = 0;
  for (const at of order) {
    edges += edgesByRoute[at] ?? 1;
    if (kept.length > 0 && edges > MAX_SKETCH_EDGES) break;
    kept.push(at);
  }
  return kept.sort((a, b) => a - b);
}

/** The first `limit` positions of a list, the wanted one before all. */
function first(items: readonly unknown[], limit: number, wanted: string | undefined): number[] {
  const positions = [...items.keys()];
  const at = positions.indexOf(Number(wanted ?? Number.NaN));
  if (at > 0) positions.unshift(...positions.splice(at, 1));
  return positions.slice(0, limit);
}

function amountOf(value: unknown): { ref: string; amount: string } | undefined {
  const entry = record(value);
  if (entry === undefined) return undefined;
  return { ref: refOf(entry), amount: quote(entry.amount) };
}

function refOf(entry: Loose): string {
  const text = JSON.stringify(entry.referenceId) ?? '(absent)';
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}

function sketchToken(value: unknown, index: number): SketchToken {
  const token = record(value) ?? {};
  const decimals = Number.isInteger(token.decimals) ? Number(token.decimals) : -1;
  return {
    index,
    ref: refOf(token),
    symbol: quote(token.symbol),
    address: quote(token.address),
    ...(decimals >= 0 && decimals <= 18 && { decimals }),
  };
}

function sketchRoute(
  value: unknown,
  index: number,
  totals: ReadonlyMap<string, bigint>,
): SketchRoute {
  const route = record(value) ?? {};
  const side = (key: 'fromTokens' | 'toTokens') =>
    list(route[key]).slice(0, MAX_SIDE).flatMap(presentAmount);
  return {
    index,
    name: quote(route.name),
    address: quote(route.address),
    fromTokens: side('fromTokens').map((inflow) => ({ ...inflow, ...shareOf(inflow, totals) })),
    toTokens: side('toTokens'),
  };
}

function presentAmount(value: unknown): { ref: string; amount: string }[] {
  const amount = amountOf(value);
  return amount === undefined ? [] : [amount];
}

function totalOutflow(routes: readonly unknown[]): ReadonlyMap<string, bigint> {
  const totals = new Map<string, bigint>();
  for (const route of routes) {
    for (const { ref, amount } of list(record(route)?.fromTokens).flatMap(presentAmount)) {
      totals.set(ref, (totals.get(ref) ?? 0n) + (baseUnits(amount) ?? 0n));
    }
  }
  return totals;
}

function shareOf(
  { ref, amount }: { ref: string; amount: string },
  totals: ReadonlyMap<string, bigint>,
): { share?: number } {
  const total = totals.get(ref) ?? 0n;
  const part = baseUnits(amount);
  if (part === undefined || total === 0n) return {};
  return { share: Number((part * 1_000_000n) / total) / 1_000_000 };
}

/** Returns an amount in base units, or undefined for text that is none (or beyond uint256's length). */
export function baseUnits(text: string): bigint | undefined {
  return text.length <= MAX_DIGITS && /^[0-9]+$/.test(text) ? BigInt(text) : undefined;
}
