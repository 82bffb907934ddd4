import { createDeck } from '../../generate/deck.ts';
import { calldataRoutersOf } from '../../generate/forms.ts';
import type { SwapPlan } from '../../model/settlement.ts';
import { type TradeRequest, targetOf } from '../../model/trade-request.ts';
import type { ForkedMarket } from '../fork/fork.ts';
import { UNUSED_ACCOUNT } from '../scenario/token-reads.ts';
import { readSwapPlan } from '../settle/read-swap-plan.ts';
import {
  chooseRequests,
  pairsOf,
  type Shape,
  type ShapedPair,
  SIDES,
  tradePair,
} from './choose-requests.ts';

const MAX_PAIRS_PER_NATIVE_SIDE = 8;
/** Multiples of the usual amount. Plans for larger amounts split more often. */
const LARGER_TIMES = [500n, 100n, 20n] as const;
const MANY_ROUTES = 4;

/**
 * Returns trades of every kind on a chain, drawn with a seed. Searches for rare plan shapes once
 * per block, and includes them more often than chance would.
 */
export async function drawRequests(
  forked: ForkedMarket,
  { plans, seed }: { readonly plans: number; readonly seed: number },
): Promise<readonly TradeRequest[]> {
  const { market, fork } = forked;
  const shaped = await fork.readOnce(`shapes among ${plans}`, () => findShapes(forked, plans));
  return chooseRequests(market, { seed, accounts: fork.accounts }, plans, shaped);
}

/**
 * Returns pairs whose plans have rare shapes at a larger amount. Requests at most `plans` plans.
 */
async function findShapes(
  { service, market }: Pick<ForkedMarket, 'service' | 'market'>,
  plans: number,
): Promise<readonly ShapedPair[]> {
  const routers = calldataRoutersOf(market);
  const tried = SIDES.flatMap((side) => {
    const pairs = pairsOf(market, side);
    if (pairs.length === 0) return [];
    const deck = createDeck(pairs, service.seed);
    const length = Math.min(
      Math.ceil(plans / SIDES.length),
      MAX_PAIRS_PER_NATIVE_SIDE,
      pairs.length,
    );
    return Array.from({ length }, (_, index) => ({
      pair: deck.deal(),
      router: routers[index % routers.length] ?? 'default-router',
      // Each router is combined with each multiple.
      times: LARGER_TIMES[(index + Math.floor(index / routers.length)) % LARGER_TIMES.length] ?? 1n,
    }));
  });
  const shaped = await Promise.all(
    tried.map(async ({ pair, router, times }) => {
      const larger = { ...pair, sellAmount: pair.sellAmount * times };
      const form = { router, swapKind: 'exact-input', slippageBps: undefined } as const;
      const parties = { user: UNUSED_ACCOUNT, recipient: undefined };
      const request = tradePair(market, larger, { ...form, ...parties });
      const plan = readSwapPlan(await service.get(targetOf(request)));
      if (plan === undefined) return [];
      // The bought amount, requested as exact output, produces a plan of the same size.
      const planned = { ...larger, buyAmount: plan.buy.amount };
      return shapesOf(plan).map((shape) => ({ pair: planned, router, shape }));
    }),
  );
  return shaped.flat();
}

function shapesOf({ sell, buy, steps }: SwapPlan): readonly Shape[] {
  const from = steps.flatMap((step) => step.from.map(({ token }) => token));
  const to = steps.flatMap((step) => step.to.map(({ token }) => token));
  const timesIn = (tokens: readonly string[], token: string) =>
    tokens.filter((each) => each === token).length;
  const between = new Set(from.filter((token) => token !== sell.token && token !== buy.token));
  const shapes: Readonly<Record<Shape, boolean>> = {
    split: timesIn(from, sell.token) > 1,
    'splits a token between': [...between].some((token) => timesIn(from, token) > 1),
    'joins a token between': [...between].some((token) => timesIn(to, token) > 1),
    'many routes': steps.length >= MANY_ROUTES,
  };
  return (Object.keys(shapes) as Shape[]).filter((shape) => shapes[shape]);
}
