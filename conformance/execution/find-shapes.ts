import type { TradedPair } from '../discovery/facts.ts';
import { createDeck } from '../generate/deck.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import type { SwapPlan } from '../model/settlement.ts';
import { targetOf } from '../model/trade-request.ts';
import { type ShapedPair, tradePair } from './choose-requests.ts';
import { readSwapPlan } from './read-swap-plan.ts';
import type { ForkedMarket } from './settle-trades.ts';

/** Maximum pairs that are requested; plans of larger trades split more. */
const MAX_PAIRS = 24;
const LARGER = 20n;
const FOUR = 4;

/** Returns pairs whose plans, at a larger amount, take shapes that few plans have. */
export async function findShapes(
  { service, market }: Pick<ForkedMarket, 'service' | 'market'>,
  plans: number,
): Promise<readonly ShapedPair[]> {
  const deck = createDeck(market.pairs, service.seed);
  const routers = calldataRoutersOf(market);
  const length = Math.min(plans, MAX_PAIRS, market.pairs.length);
  const pairs = Array.from({ length }, (_, index) => {
    const { sellAmount, buyAmount, ...pair } = deck.deal();
    const larger: TradedPair = {
      ...pair,
      sellAmount: sellAmount * LARGER,
      buyAmount: buyAmount * LARGER,
    };
    return { pair: larger, router: routers[index % routers.length] ?? 'default-router' };
  });
  const shaped = await Promise.all(
    pairs.map(async ({ pair, router }) => {
      const form = { router, swapKind: 'exact-input', slippageBps: undefined } as const;
      const request = tradePair(market, pair, { ...form, recipient: undefined });
      const plan = readSwapPlan(await service.get(targetOf(request)));
      return plan === undefined ? [] : shapesOf(plan).map((shape) => ({ pair, router, shape }));
    }),
  );
  return shaped.flat();
}

function shapesOf({ sell, buy, steps }: SwapPlan): readonly string[] {
  const from = steps.flatMap((step) => step.from.map(({ token }) => token));
  const to = steps.flatMap((step) => step.to.map(({ token }) => token));
  const timesIn = (tokens: readonly string[], token: string) =>
    tokens.filter((each) => each === token).length;
  const between = new Set(from.filter((token) => token !== sell.token && token !== buy.token));
  const shapes = {
    'splits what is sold': timesIn(from, sell.token) > 1,
    'splits a token between': [...between].some((token) => timesIn(from, token) > 1),
    'joins a token between': [...between].some((token) => timesIn(to, token) > 1),
    'four routes and more': steps.length >= FOUR,
  };
  return Object.entries(shapes).flatMap(([shape, isSo]) => (isSo ? [shape] : []));
}
