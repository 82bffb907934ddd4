import { parseAmount } from '../checks/amounts.ts';
import {
  fixedAmount,
  pairsIn,
  parameterOf,
  type Query,
  type RequestTarget,
} from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import type { Facts } from '../discovery/facts.ts';
import { inLetterCase } from './query-formats.ts';
import { queryFor, setParameter, swapTarget } from './trades.ts';

const CALLDATA = ['includeCalldata', 'userAddress', 'slippageTolerance', 'recipientAddress'];
const PARAMETER_ORDER = [
  'chainId',
  'sellToken',
  'buyToken',
  'sellAmount',
  'buyAmount',
  'router',
  'useRfq',
  ...CALLDATA,
];

/**
 * Maximum number of known pairs to try. With more pairs, shrinking would cost more than the run.
 */
const MAX_PAIRS = 2;

/**
 * Returns simpler requests that may show the same fault, simplest first. They trade a known pair
 * without optional parameters; then they remove an option, write addresses plainly, or use small
 * round amounts. Each variant has a smaller `weightOf` than the request, so shrinking ends.
 */
export function simplifyRequest(target: RequestTarget, facts: Facts): readonly RequestTarget[] {
  if (target.path !== PATHS.swap || target.key === 'as-written') return [];
  const query = pairsIn(target);
  const smallest = weightOf(target);
  const seen = new Set<string>();
  return [...variants(query, facts)].map(swapTarget).filter((variant) => {
    const key = JSON.stringify(variant.query);
    if (seen.has(key) || weightOf(variant) >= smallest) return false;
    seen.add(key);
    return true;
  });
}

/**
 * Returns the size of a request from the point of view of a reader: the number of parameters first,
 * then of digits, then of digits other than zero.
 */
export function weightOf(target: RequestTarget): number {
  const query = pairsIn(target);
  const isPlain = typeof target.query !== 'string' && isInOrder(target.query);
  const digits = ['sellAmount', 'buyAmount'].map((name) => parameterOf(query, name)).join('');
  const capitals = query.map(([, value]) => value.replace(/[^A-Z]/g, '')).join('').length;
  return (
    query.length * 1_000_000 +
    (isPlain ? 0 : 100_000) +
    digits.length * 100 +
    digits.replaceAll('0', '').length * 10 +
    Math.min(capitals, 9)
  );
}

function* variants(query: Query, facts: Facts): Generator<Query> {
  const fixed = fixedAmount(query);
  const chainId = Number(parameterOf(query, 'chainId'));
  const market = facts.markets.get(chainId);
  const required = query.filter(([name]) => PARAMETER_ORDER.slice(0, 5).includes(name));
  const plain = inLetterCase(inOrder(required), 'lower');
  yield* roundAmounts(plain);
  yield plain;
  const optional = inOrder(query).filter(([name]) => !PARAMETER_ORDER.slice(0, 5).includes(name));
  for (const pair of market?.pairs.slice(0, MAX_PAIRS) ?? []) {
    const trade = { market: market as NonNullable<typeof market>, pair };
    yield [...queryFor(trade, fixed), ...optional];
  }
  yield withoutParameters(query, CALLDATA);
  for (const name of ['recipientAddress', 'useRfq', 'router'])
    yield withoutParameters(query, [name]);
  const whole = inLetterCase(inOrder(query), 'lower');
  yield whole;
  yield* roundAmounts(whole);
}

function* roundAmounts(query: Query): Generator<Query> {
  const name = fixedAmount(query);
  const amount = parseAmount(parameterOf(query, name) ?? '');
  if (amount === undefined || amount === 0n) return;
  const text = String(amount);
  for (const digits of [
    1,
    Math.ceil(text.length / 4),
    Math.ceil(text.length / 2),
    text.length - 1,
  ]) {
    if (digits >= 1) yield setParameter(query, name, [`1${'0'.repeat(digits - 1)}`]);
  }
  yield setParameter(query, name, [`${text[0]}${'0'.repeat(text.length - 1)}`]);
  if (amount > FIRST_LOST_BY_FLOATS) yield setParameter(query, name, [`${FIRST_LOST_BY_FLOATS}`]);
}

/** The smallest integer that a float of 64 bits cannot represent. */
const FIRST_LOST_BY_FLOATS = 2n ** 53n + 1n;

function withoutParameters(query: Query, names: readonly string[]): Query {
  return query.filter(([name]) => !names.includes(name));
}

function inOrder(query: Query): Query {
  return [...query].sort(([one], [other]) => placeOf(one) - placeOf(other));
}

function isInOrder(query: Query): boolean {
  return inOrder(query).every((pair, index) => pair[0] === query[index]?.[0]);
}

function placeOf(name: string): number {
  const place = PARAMETER_ORDER.indexOf(name);
  return place < 0 ? PARAMETER_ORDER.length : place;
}
