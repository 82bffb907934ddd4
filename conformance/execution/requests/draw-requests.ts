import type { TradeRequest } from '../../model/trade-request.ts';
import type { ForkedMarket } from '../fork/fork.ts';
import { chooseRequests } from './choose-requests.ts';
import { findOddities } from './find-oddities.ts';
import { findShapes } from './find-shapes.ts';

/**
 * Returns trades of every kind on a chain, drawn with a seed. Searches for rare plan shapes and
 * unusual tokens once per block, and includes them more often than chance would.
 */
export async function drawRequests(
  forked: ForkedMarket,
  { plans, seed }: { readonly plans: number; readonly seed: number },
): Promise<readonly TradeRequest[]> {
  const { market, fork } = forked;
  const { accounts } = fork;
  const shaped = await fork.readOnce(`shapes among ${plans}`, () => findShapes(forked, plans));
  const oddities = await fork.readOnce('oddities', () => findOddities(fork, market.pairs));
  return chooseRequests(market, { seed, accounts }, plans, shaped, oddities);
}
