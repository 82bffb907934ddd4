import type { Exchange } from '../client/exchange.ts';
import type { Query } from '../generate/trades.ts';
import { swapTarget } from '../generate/trades.ts';
import type { RequestTarget, Session } from '../runner/session.ts';
import { planKey } from './plan-key.ts';

/** Two requests and their replies, taken while the market held still. */
export type Bracketed = { readonly first: Exchange; readonly second: Exchange };

/**
 * Sends a first request, a second, and the first again. Returns the two replies
 * where both firsts gave the same plan, so that nothing moved between them;
 * undefined where they differ or there is no plan. A market that the user calls
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
  const second = await session.get('path' in next ? next : swapTarget(next));
  if (second.outcome.kind === 'no-reply') return undefined;
  if (session.frozen) return { first: before, second };
  const after = await session.get(swapTarget(first));
  return planKey(after) === key ? { first: before, second } : undefined;
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
