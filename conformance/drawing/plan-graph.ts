import { counted } from '../contract/counted.ts';
import { shorten } from '../contract/cut-text.ts';
import { amountOf, formatAmount } from '../model/format-amount.ts';
import { groupBy } from '../model/group-by.ts';
import type { PlanSketch, SketchRoute, SketchToken } from '../model/plan-sketch.ts';

/** A token in the drawing. */
export type PlanNode = {
  readonly key: string;
  readonly lines: readonly string[];
  readonly role: 'sell' | 'buy' | 'token' | 'missing';
  readonly marked: boolean;
  readonly hint: string;
};

/** A swap in the drawing, which leads from a token to another box. */
export type PlanEdge = {
  readonly from: string;
  readonly to: string;
  readonly lines: readonly string[];
  readonly marked: boolean;
  /** Share of the token that the swap takes, 0 to 1, if known. */
  readonly share?: number;
  /** A swap of a token into itself, drawn as an arrow to a second box with the token's name. */
  readonly selfLoop: boolean;
  readonly hint: string;
};

export type PlanGraph = {
  readonly nodes: readonly PlanNode[];
  readonly edges: readonly PlanEdge[];
};

const ITSELF = ' (itself)';

/**
 * Maximum number of separately drawn routes. In a larger plan, routes between the same two tokens
 * are merged.
 */
export const MAX_SEPARATE_ROUTES = 12;

/** Returns the tokens and swaps to draw, with the part at `pointer` marked. */
export function planGraph(plan: PlanSketch, pointer: string | undefined): PlanGraph {
  const byRef = new Map<string, SketchToken>();
  for (const token of plan.tokens) if (!byRef.has(token.ref)) byRef.set(token.ref, token);
  const edges = drawnRoutes(plan.routes, pointer).flatMap((route) => routeEdges(route, byRef));
  const drawn = plan.tokens.map((token) => tokenNode(token, byRef, plan, pointer));
  const known = new Set(drawn.map(({ key }) => key));
  const ends = [plan.sell?.ref, plan.buy?.ref].flatMap((ref) => (ref === undefined ? [] : [ref]));
  const used = new Set([...edges.flatMap(({ from, to }) => [from, to]), ...ends]);
  const missing = [...used].filter((key) => !known.has(key));
  return {
    nodes: [...drawn, ...missing.map((key) => missingNode(key, byRef, plan, pointer))],
    edges,
  };
}

type SeparateOrMergedRoute = Omit<SketchRoute, 'address'> & {
  readonly marked: boolean;
  readonly where: string;
};

/**
 * Merges the routes between the same two tokens if a plan has too many routes. A marked route stays
 * separate.
 */
function drawnRoutes(
  routes: readonly SketchRoute[],
  pointer: string | undefined,
): readonly SeparateOrMergedRoute[] {
  const drawn = routes.map((route) => ({
    ...route,
    marked: isAtOrInside(pointer, `/routes/${route.index}`),
    where: `routes/${route.index}: ${route.name} at ${route.address}`,
  }));
  if (drawn.length <= MAX_SEPARATE_ROUTES) return drawn;
  const groups = groupBy<SeparateOrMergedRoute, unknown>(drawn, (route) => pairOf(route) ?? route);
  return [...groups.values()].map((group) => group.reduce(mergeRoutes));
}

function pairOf({ fromTokens, toTokens, marked }: SeparateOrMergedRoute): string | undefined {
  const legs = [...fromTokens, ...toTokens];
  const isPlain = fromTokens.length === 1 && toTokens.length === 1 && !marked;
  if (!isPlain || !legs.every(({ amount }) => /^[0-9]+$/.test(amount))) return undefined;
  return legs.map(({ ref }) => ref).join(' ');
}

function mergeRoutes(
  one: SeparateOrMergedRoute,
  other: SeparateOrMergedRoute,
  at: number,
): SeparateOrMergedRoute {
  const sum = (legs: SketchRoute['fromTokens'], more: SketchRoute['fromTokens']) =>
    legs.map(({ ref, amount, share }, index) => ({
      ref,
      amount: String(BigInt(amount) + BigInt(more[index]?.amount ?? 0)),
      ...(share !== undefined && { share: share + (more[index]?.share ?? 0) }),
    }));
  return {
    ...one,
    name: `${at + 1} sources`,
    where: `${one.where}, ${other.where}`,
    fromTokens: sum(one.fromTokens, other.fromTokens),
    toTokens: sum(one.toTokens, other.toTokens),
  };
}

function routeEdges(
  route: SeparateOrMergedRoute,
  tokens: ReadonlyMap<string, SketchToken>,
): PlanEdge[] {
  const nowhere = [{ ref: `nothing ${route.index}`, amount: '' }];
  const ins: SketchRoute['fromTokens'] = route.fromTokens.length > 0 ? route.fromTokens : nowhere;
  const outs = route.toTokens.length > 0 ? route.toTokens : nowhere;
  const { marked } = route;
  return ins.flatMap(({ ref: from, amount: amountIn, share }) =>
    outs.map(({ ref: to, amount: amountOut }) => {
      const part = share === undefined ? '' : ` · ${formatPercent(share)}`;
      const paid = amountOf(amountIn, tokens.get(from));
      const got = amountOf(amountOut, tokens.get(to));
      return {
        from,
        to: from === to ? `${to}${ITSELF}` : to,
        selfLoop: from === to,
        lines: [`${marked ? '✗ ' : ''}${shorten(route.name, 18)}${part}`, paid, `→ ${got}`],
        marked,
        ...(share !== undefined && { share }),
        hint: `${route.where}: ${amountIn} → ${amountOut} base units`,
      };
    }),
  );
}

/** Never rounds a nonzero share to 0%, or a partial share to 100%. */
function formatPercent(share: number): string {
  if (share > 0 && share < 0.0005) return '< 0.1%';
  if (share < 1 && share >= 0.9995) return '> 99.9%';
  return `${(share * 100).toFixed(1).replace(/\.0$/, '')}%`;
}

function tokenNode(
  token: SketchToken,
  byRef: ReadonlyMap<string, SketchToken>,
  plan: PlanSketch,
  pointer: string | undefined,
): PlanNode {
  const isFirst = byRef.get(token.ref) === token;
  const role = isFirst ? roleOf(token.ref, plan) : 'token';
  const marked =
    isAtOrInside(pointer, `/tokens/${token.index}`) || (isFirst && endMarked(role, pointer));
  const short =
    token.address.length > 16
      ? `${shorten(token.address, 8)}${token.address.slice(-4)}`
      : token.address;
  return {
    key: isFirst ? token.ref : `tokens/${token.index} again ${token.ref}`,
    lines: [
      `${marked ? '✗ ' : ''}${shorten(token.symbol, 14)}`,
      ...roleLine(role, plan, token.decimals),
      ...(marked ? balanceLines(token) : []),
      `${shorten(token.ref, 8)} · ${short}`,
    ],
    role,
    marked,
    hint: `tokens/${token.index}: referenceId ${token.ref}, ${token.address}`,
  };
}

function balanceLines({ balance, ...token }: SketchToken): string[] {
  if (balance === undefined) return [];
  const [word, units] = balance.startsWith('-')
    ? ['missing', balance.slice(1)]
    : ['left over', balance];
  return [`${word} ${amountOf(units, token)}`, counted(units, 'base unit')];
}

function missingNode(
  key: string,
  byRef: ReadonlyMap<string, SketchToken>,
  plan: PlanSketch,
  pointer: string | undefined,
): PlanNode {
  const role = roleOf(key, plan);
  const marked = endMarked(role, pointer);
  const itself = key.endsWith(ITSELF);
  const symbol = itself ? byRef.get(key.slice(0, -ITSELF.length))?.symbol : undefined;
  const named = symbol === undefined ? `reference ${shorten(key, 18)}` : shorten(symbol, 14);
  const what = key.startsWith('nothing ') ? 'nothing' : named;
  const absent = plan.omittedTokens > 0 ? 'token not drawn' : 'not in tokens';
  const why = itself ? 'the same token' : absent;
  const note = what === 'nothing' ? [] : [why];
  return {
    key,
    lines: [`${marked ? '✗ ' : ''}${what}`, ...roleLine(role, plan, undefined), ...note],
    role: role === 'token' ? 'missing' : role,
    marked,
    hint: `${key}: ${why}`,
  };
}

function roleOf(ref: string, { sell, buy }: PlanSketch): 'sell' | 'buy' | 'token' {
  if (sell?.ref === ref) return 'sell';
  return buy?.ref === ref ? 'buy' : 'token';
}

function roleLine(
  role: PlanNode['role'],
  plan: PlanSketch,
  decimals: number | undefined,
): string[] {
  if (role === 'sell') return [`sell ${formatAmount(plan.sell?.amount ?? '', decimals)}`];
  return role === 'buy' ? [`buy ${formatAmount(plan.buy?.amount ?? '', decimals)}`] : [];
}

function endMarked(role: PlanNode['role'], pointer: string | undefined): boolean {
  return (role === 'sell' || role === 'buy') && isAtOrInside(pointer, `/${role}`);
}

function isAtOrInside(pointer: string | undefined, place: string): boolean {
  return pointer === place || (pointer?.startsWith(`${place}/`) ?? false);
}
