import type { Reply } from '../client/exchange.ts';
import type { Route, RouteToken, SwapResponse, Token } from '../contract/resources.ts';
import { parseAmount } from './amounts.ts';
import { isObject, successObject } from './reply-body.ts';

/**
 * A reference id as a key: the number that was sent, or its digits as text if it exceeds the safe
 * integers. Never a bigint: bigints with the same last 64 bits collide as keys of a map.
 */
export type ReferenceId = number | string;

/**
 * The readable parts of the body of a `/swap` reply; missing and malformed parts are undefined.
 * Every reader of a plan starts from this type.
 */
export type SwapBody = {
  /** The fields as sent. Ids beyond 2^53 may be rounded. */
  readonly fields: Unread<SwapResponse>;
  readonly sell: BodyLeg;
  readonly buy: BodyLeg;
  readonly tokens: readonly BodyToken[] | undefined;
  readonly routes: readonly BodyRoute[] | undefined;
};

/** Amount of one token at one end of a swap, or at one end of the whole plan. */
export type BodyLeg = {
  /** JSON pointer to the object. */
  readonly pointer: string;
  /** The value found at `pointer`. */
  readonly value: unknown;
  /** Undefined if the value is not an object. */
  readonly fields: Unread<RouteToken> | undefined;
  readonly referenceId: ReferenceId | undefined;
  /** Amount in base units. */
  readonly amount: bigint | undefined;
};

export type BodyToken = {
  readonly pointer: string;
  readonly value: unknown;
  readonly fields: Unread<Token>;
  readonly referenceId: ReferenceId | undefined;
  readonly address: string | undefined;
  readonly symbol: string | undefined;
  /** Decimal places, 0 to 18. */
  readonly decimals: number | undefined;
  readonly usdPrice: number | undefined;
};

/** An entry of `routes`: one swap. */
export type BodyRoute = {
  readonly pointer: string;
  readonly value: unknown;
  readonly fields: Unread<Route>;
  readonly from: readonly BodyLeg[] | undefined;
  readonly to: readonly BodyLeg[] | undefined;
};

/** Any field may be missing or of another type. */
type Unread<Resource> = { readonly [Field in keyof Resource]?: unknown };

/**
 * A body in which all references and amounts are valid. Names, prices and addresses may be missing.
 */
export type Plan = Pick<SwapBody, 'fields'> & {
  readonly sell: Leg;
  readonly buy: Leg;
  readonly tokens: readonly PlanToken[];
  readonly routes: readonly PlanRoute[];
};
export type Leg = BodyLeg & { readonly referenceId: ReferenceId; readonly amount: bigint };
export type PlanToken = BodyToken & { readonly referenceId: ReferenceId };
export type PlanRoute = Omit<BodyRoute, 'from' | 'to'> & {
  readonly from: readonly Leg[];
  readonly to: readonly Leg[];
};

/** Returns the body of a 200 reply to `/swap` with exact ids; undefined for any other reply. */
export function swapBodyIn(reply: Reply): SwapBody | undefined {
  return withExactIds(plainSwapBodyIn(reply), reply.text);
}

/**
 * Returns the same body, but with ids as `JSON.parse` reads them: beyond 2^53, they are rounded.
 */
export function plainSwapBodyIn(reply: Reply): SwapBody | undefined {
  return readSwapBody(successObject(reply));
}

/** Returns the body with exact ids. Parses the text again only if an id may have been rounded. */
export function withExactIds(body: SwapBody | undefined, text: string): SwapBody | undefined {
  return body !== undefined && hasLargeId(body) ? readSwapBody(readLargeIds(text)) : body;
}

/**
 * Returns a body as a plan. Returns undefined if a reference or an amount is missing or malformed;
 * rules of section 2 report these faults.
 */
export function planIn(body: SwapBody | undefined): Plan | undefined {
  return body !== undefined && isPlan(body) ? body : undefined;
}

/**
 * Reads a parsed document as a `/swap` body. Ids beyond 2^53 remain as `JSON.parse` rounded them.
 */
export function readSwapBody(document: unknown): SwapBody | undefined {
  if (!isObject(document)) return undefined;
  const { sell, buy, tokens, routes }: SwapBody['fields'] = document;
  return {
    fields: document,
    sell: readLeg(sell, '/sell'),
    buy: readLeg(buy, '/buy'),
    tokens: readEach(tokens, '/tokens', readToken),
    routes: readEach(routes, '/routes', readRoute),
  };
}

function readEach<Entry>(
  list: unknown,
  pointer: string,
  read: (entry: unknown, pointer: string) => Entry,
): readonly Entry[] | undefined {
  return Array.isArray(list)
    ? list.map((entry, index) => read(entry, `${pointer}/${index}`))
    : undefined;
}

function readLeg(value: unknown, pointer: string): BodyLeg {
  const fields: BodyLeg['fields'] = isObject(value) ? value : undefined;
  return {
    pointer,
    value,
    fields,
    referenceId: readId(fields?.referenceId),
    amount: parseAmount(fields?.amount),
  };
}

function readToken(value: unknown, pointer: string): BodyToken {
  const fields: BodyToken['fields'] = isObject(value) ? value : {};
  const { referenceId, address, symbol, decimals, usdPrice } = fields;
  const places = Number.isInteger(decimals) ? Number(decimals) : -1;
  return {
    pointer,
    value,
    fields,
    referenceId: readId(referenceId),
    address: typeof address === 'string' ? address : undefined,
    symbol: typeof symbol === 'string' ? symbol : undefined,
    decimals: places >= 0 && places <= 18 ? places : undefined,
    usdPrice: typeof usdPrice === 'number' ? usdPrice : undefined,
  };
}

function readRoute(value: unknown, pointer: string): BodyRoute {
  const fields: BodyRoute['fields'] = isObject(value) ? value : {};
  return {
    pointer,
    value,
    fields,
    from: readEach(fields.fromTokens, `${pointer}/fromTokens`, readLeg),
    to: readEach(fields.toTokens, `${pointer}/toTokens`, readLeg),
  };
}

function isPlan(body: SwapBody): body is Plan {
  const { sell, buy, tokens, routes } = body;
  const areLegs = (legs: readonly BodyLeg[] | undefined) => legs?.every(isLeg) ?? false;
  return (
    areLegs([sell, buy]) &&
    (tokens?.every(({ referenceId }) => referenceId !== undefined) ?? false) &&
    (routes?.every(({ from, to }) => areLegs(from) && areLegs(to)) ?? false)
  );
}

function isLeg({ referenceId, amount }: BodyLeg): boolean {
  return referenceId !== undefined && amount !== undefined;
}

/** Never matches inside a string, since quotes are escaped there. */
const LARGE_ID = /("referenceId"\s*:\s*)(-?[0-9]{16,})(?=\s*[,}])/g;

function readLargeIds(text: string): unknown {
  return JSON.parse(text.replace(LARGE_ID, '$1"#$2"'));
}

/** `JSON.parse` may have rounded two ids beyond 2^53 to the same number. */
function hasLargeId({ sell, buy, tokens = [], routes = [] }: SwapBody): boolean {
  const isLarge = ({ referenceId }: Pick<BodyLeg, 'referenceId'>) =>
    typeof referenceId === 'number' && !Number.isSafeInteger(referenceId);
  return (
    isLarge(sell) ||
    isLarge(buy) ||
    tokens.some(isLarge) ||
    routes.some(({ from, to }) => from?.some(isLarge) || to?.some(isLarge))
  );
}

/** 1e3 and 1000 are the same id. */
function readId(value: unknown): ReferenceId | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  if (typeof value !== 'string' || !/^#-?[0-9]{16,}$/.test(value)) return undefined;
  const digits = value.slice(1);
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;
}
