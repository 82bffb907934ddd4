import { type Exchange, statusOf } from '../client/exchange.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { swapTarget } from '../generate/trades.ts';
import type { Finding } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { planKey } from './plan-key.ts';

/** Two requests and their replies, taken while the market held still. */
export type Bracketed = { readonly first: Exchange; readonly second: Exchange };

/** What two replies show: a fault of the second, or none. */
export type Compared = { readonly finding: Finding | undefined };

/** Times that both requests are sent at once where the market moves faster than replies come. */
const TRIES_AT_ONCE = 3;

/**
 * Sends a first request, a second, and the first again. Returns the two replies
 * where both firsts gave the same plan, so that nothing moved between them;
 * where they differ, what both requests give when they are sent at once. Where
 * that differs too, or there is no plan, undefined. A market that the user calls
 * frozen needs no third request.
 */
export async function bracket(
  session: Session,
  first: Query,
  secondOf: (first: Exchange) => Query | RequestTarget | undefined,
): Promise<Bracketed | undefined> {
  const before = await session.get(swapTarget(first));
  const key = planKey(before);
  const next = key === undefined ? undefined : secondOf(before);
  if (next === undefined) return undefined;
  const [one, other] = [swapTarget(first), 'path' in next ? next : swapTarget(next)];
  const second = await session.get(other);
  if (second.outcome.kind !== 'reply') return undefined;
  if (session.frozen) return { first: before, second };
  const after = await session.get(one);
  if (planKey(after) === key) return { first: before, second };
  for (let times = 0; times < TRIES_AT_ONCE; times += 1) {
    const pair = await askAtOnce(session, one, other);
    if (pair !== undefined) return pair;
  }
  return undefined;
}

/**
 * Sends both requests in turn without waiting for a reply, the first one three
 * times and the second one twice. Returns a pair where each of them got one
 * answer: no single move of the market comes between them in that case.
 */
async function askAtOnce(
  { get }: Session,
  one: RequestTarget,
  other: RequestTarget,
): Promise<Bracketed | undefined> {
  const exchanges = await Promise.all([one, other, one, other, one].map((each) => get(each)));
  const [first, second] = exchanges;
  if (first === undefined || second === undefined) return undefined;
  if (planKey(first) === undefined || second.outcome.kind !== 'reply') return undefined;
  const isOneAnswer = exchanges.every((exchange, index) =>
    isSameAnswer(exchange, index % 2 === 0 ? first : second),
  );
  return isOneAnswer ? { first, second } : undefined;
}

function isSameAnswer(exchange: Exchange, other: Exchange): boolean {
  return planKey(exchange) === planKey(other) && statusOf(exchange) === statusOf(other);
}

/**
 * Returns what `attempt` judges, asked once more where it is a fault: only a
 * fault that shows twice is one of the relation. A reply in twenty that is wrong
 * in itself, or a market served from two blocks in turn, is no reason to blame it.
 */
export async function confirmFault<T extends { readonly finding: unknown }>(
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const first = await attempt();
  if (first?.finding === undefined) return first;
  const second = await attempt();
  return second?.finding === undefined ? undefined : second;
}
