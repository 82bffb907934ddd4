import { parseAmount } from './amounts.ts';

/** A reference id as a key: a safe integer, or the digits where the integer is larger than that. */
export type ReferenceId = number | string;

/** An amount of one token at one end of a swap or of the whole plan, in base units. */
export type Leg = {
  readonly referenceId: ReferenceId;
  readonly amount: bigint;
  /** JSON pointer to the object. */
  readonly pointer: string;
};

/** One swap. */
export type PlanRoute = {
  readonly from: readonly Leg[];
  readonly to: readonly Leg[];
  readonly pointer: string;
};

/** What the checks read of a SwapResponse: references and amounts, nothing else. */
export type Plan = {
  readonly sell: Leg;
  readonly buy: Leg;
  /** Reference ids of `tokens`, in their order, repetitions included. */
  readonly tokens: readonly ReferenceId[];
  readonly routes: readonly PlanRoute[];
};

/**
 * Returns the plan in a SwapResponse, or undefined where a part that the checks
 * need is missing or malformed (which the rules of section 2 report). Missing
 * names, prices and addresses do not matter here.
 */
export function readPlan(document: unknown): Plan | undefined {
  if (!isObject(document)) return undefined;
  const { sell, buy, tokens, routes } = document;
  const sellLeg = readLeg(sell, '/sell');
  const buyLeg = readLeg(buy, '/buy');
  if (sellLeg === undefined || buyLeg === undefined) return undefined;
  if (!Array.isArray(tokens) || !Array.isArray(routes)) return undefined;
  const ids: ReferenceId[] = [];
  for (const token of tokens) {
    const id = isObject(token) ? readReferenceId(token['referenceId']) : undefined;
    if (id === undefined) return undefined;
    ids.push(id);
  }
  const planRoutes: PlanRoute[] = [];
  for (const [index, route] of routes.entries()) {
    const pointer = `/routes/${index}`;
    if (!isObject(route)) return undefined;
    const from = readLegs(route['fromTokens'], `${pointer}/fromTokens`);
    const to = readLegs(route['toTokens'], `${pointer}/toTokens`);
    if (from === undefined || to === undefined) return undefined;
    planRoutes.push({ from, to, pointer });
  }
  return { sell: sellLeg, buy: buyLeg, tokens: ids, routes: planRoutes };
}

/**
 * Returns a reply's body read anew with reference ids beyond 2^53 kept as
 * digits, since JSON.parse would round two of them to one number; undefined
 * where there are none. An escaped quote keeps the pattern from matching
 * inside a string.
 *
 * @example
 * readLargeReferenceIds('{"referenceId":12345678901234567890}') // { referenceId: '12345678901234567890' }
 */
export function readLargeReferenceIds(text: string): unknown {
  const largeId = /("referenceId"\s*:\s*)(-?[0-9]{16,})(?=\s*[,}])/g;
  if (!largeId.test(text)) return undefined;
  largeId.lastIndex = 0;
  try {
    return JSON.parse(text.replace(largeId, '$1"$2"'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readLegs(value: unknown, pointer: string): readonly Leg[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const legs: Leg[] = [];
  for (const [index, entry] of value.entries()) {
    const leg = readLeg(entry, `${pointer}/${index}`);
    if (leg === undefined) return undefined;
    legs.push(leg);
  }
  return legs;
}

function readLeg(value: unknown, pointer: string): Leg | undefined {
  if (!isObject(value)) return undefined;
  const referenceId = readReferenceId(value['referenceId']);
  const amount = parseAmount(value['amount']);
  return referenceId === undefined || amount === undefined
    ? undefined
    : { referenceId, amount, pointer };
}

function readReferenceId(value: unknown): ReferenceId | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  return typeof value === 'string' && /^-?[0-9]{16,}$/.test(value) ? value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
