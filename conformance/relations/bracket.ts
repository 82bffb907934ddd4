import type { Exchange } from '../client/exchange.ts';
import type { Query } from '../generate/trades.ts';
import { swapTarget } from '../generate/trades.ts';
import type { Session } from '../runner/session.ts';
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
  secondOf: (first: Exchange) => Query | undefined,
): Promise<Bracketed | undefined> {
  const before = await session.get(swapTarget(first));
  const key = planKey(before);
  const next = key === undefined ? undefined : secondOf(before);
  if (next === undefined) return undefined;
  const second = await session.get(swapTarget(next));
  if (second.outcome.kind === 'no-reply') return undefined;
  if (session.frozen) return { first: before, second };
  const after = await session.get(swapTarget(first));
  return planKey(after) === key ? { first: before, second } : undefined;
}
