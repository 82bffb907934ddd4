import type { SettledPlan } from '../model/settlement.ts';
import { bpBetween } from '../rule-kit/quote-distance.ts';
import { PARTS, TRADER_OVERRIDES, tradeInReverse } from './direct-trades.ts';
import type { ForkSession } from './fork-session.ts';
import { simulate } from './simulate.ts';
import { partiesOf, straysIn } from './strays.ts';
import { settleMoved } from './try-trades.ts';

/** Parts of a plan's bought amount that are sold to its pools first, in ascending order. */
const SALES = [1n, 4n, 16n, 64n, 256n, 1_024n, 4_096n].map((times) => (PARTS * times) / 256n);
const MAX_SALE = SALES.at(-1) ?? PARTS;
/** Minimum and maximum improvement of a plan, in basis points: large enough to be visible, and still near the quote. */
const MIN_GAIN_BP = 4;
const MAX_GAIN_BP = 90;

/**
 * Settles a plan again after its own pools were traded in the user's favor; undefined if that is not
 * possible, or if the plan does not settle without it.
 */
export async function settleImproved(
  session: ForkSession,
  item: SettledPlan,
): Promise<SettledPlan | undefined> {
  const market = await improveMarket(session, item);
  if (market === undefined) return undefined;
  const improved = {
    ...item,
    timestamp: item.now.scenario.time,
    earlier: market.earlier,
    overrides: TRADER_OVERRIDES,
  };
  const [now] = await settleMoved(session, [improved]);
  if (now === undefined) return undefined;
  const parties = partiesOf(item, item.holders, session.wrappedNative);
  const strays = await straysIn(session.fork(), item, parties, { ...now, settle: simulate });
  const isExactInput = item.request.swapKind === 'exact-input';
  const { effects } = now;
  return {
    ...{ ...item, ...strays, effects, effectsLater: effects },
    ...{ now, limited: undefined, later: now, poolsGive: undefined, unmoved: false },
    alternativeYield: isExactInput ? market.received : undefined,
  };
}

/** Returns calls that improve the price of a plan, and the yield of its pools after them. */
async function improveMarket(session: ForkSession, { effects, plan }: SettledPlan) {
  if (effects.kind === 'reverted') return undefined;
  const mover = await tradeInReverse(session, plan, MAX_SALE);
  if (typeof mover === 'string') return undefined;
  const [unmoved = 0n] = await mover.yieldsAfter([0n]);
  let [enough, tooMuch] = [-1, SALES.length];
  let received = unmoved;
  // The more is sold back, the better the plan's price.
  while (tooMuch - enough > 1) {
    const middle = Math.floor((enough + tooMuch) / 2);
    const [improved] = await mover.yieldsAfter([SALES[middle] ?? 0n]);
    if (improved === undefined || bpBetween(improved, unmoved) > MAX_GAIN_BP) tooMuch = middle;
    else [enough, received] = [middle, improved];
  }
  const sale = SALES[enough];
  if (sale === undefined || bpBetween(received, unmoved) < MIN_GAIN_BP) return undefined;
  return { earlier: [mover.sell(sale)], received };
}
