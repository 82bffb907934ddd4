import { effectsOf, type Settled, type SettledPlan } from '../../model/settlement.ts';
import { kindOfTrade } from '../../model/trade-request.ts';
import { bpBetween } from '../../rule-kit/quote-distance.ts';
import { ampleGas } from '../fork/circumstances.ts';
import type { ForkSession } from '../fork/fork-session.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { joined } from '../settle/provision.ts';
import { simulate } from '../settle/simulate.ts';
import { partiesOf, straysIn } from '../settle/strays.ts';
import { type MovedMarket, marketsInFavor } from './moved-markets.ts';

/**
 * Gains above the quote, in basis points: small and large. Each is a target with the range that
 * counts as reached.
 */
const GAINS_BP = [
  [4, 30, 90],
  [150, 400, 1_000],
] as const;

/** Minimum amount. Smaller amounts are too coarse to show a gain. */
const MIN_AMOUNT = 10_000n;

/** Settles one plan of each kind again at better prices than quoted. */
export async function improvePrices(
  session: ForkSession,
  items: readonly SettledPlan[],
): Promise<readonly SettledPlan[]> {
  const improved: SettledPlan[] = [];
  const done = new Set<string>();
  for (const item of items) {
    const { request, plan, now, effects } = item;
    if (request.useRfq || effects.kind === 'reverted') continue;
    if (now.scenario.block !== session.fork().block.number) continue;
    if (plan.sell.amount < MIN_AMOUNT || plan.buy.amount < MIN_AMOUNT) continue;
    const kind = [kindOfTrade(request), request.sell.native, request.buy.native].join();
    const waiting = GAINS_BP.filter((range) => !done.has([kind, range].join()));
    if (waiting.length === 0) continue;
    const limits = waiting.map(([, gain]) => (plan.buy.amount * BigInt(10_000 + gain)) / 10_000n);
    const [unmoved, ...markets] =
      (await undefinedIfNodeFailed(() => marketsInFavor(session, item, limits))) ?? [];
    if (unmoved === undefined) continue;
    const gainIn = ({ received }: MovedMarket) => bpBetween(received, unmoved.received);
    for (const range of waiting) {
      const [min, , max] = range;
      const market = markets.findLast((each) => gainIn(each) >= min && gainIn(each) <= max);
      const settled =
        market && (await undefinedIfNodeFailed(() => settleAgain(session, item, market)));
      if (settled === undefined) continue;
      improved.push(settled);
      done.add([kind, range].join());
    }
  }
  return improved;
}

/** Settles a plan again after the market has moved. */
async function settleAgain(
  session: ForkSession,
  item: SettledPlan,
  { provision, received }: MovedMarket,
): Promise<SettledPlan> {
  // The service estimated the gas for the market as it was.
  const gas = ampleGas(session.fork().block);
  const scenario = { ...item.now.scenario, ...joined(item.now.scenario, provision), gas };
  const now = { scenario, settlement: await simulate(session.fork(), scenario) };
  const isComparable = item.request.swapKind === 'exact-input';
  return {
    ...(await asItem(session, item, now)),
    alternativeYield: isComparable ? received : undefined,
  };
}

/**
 * Returns the settlements a minute later whose effects differ from those at once. Every rule judges
 * them, since a router may take more as time passes.
 */
export async function differentLater(
  session: ForkSession,
  items: readonly SettledPlan[],
): Promise<readonly SettledPlan[]> {
  const different = items.filter(
    ({ now, later, effects, effectsLater }) =>
      effects.kind === 'settled' &&
      effectsLater.kind === 'settled' &&
      later.settlement.changes.some(
        ({ amount }, index) => amount !== now.settlement.changes[index]?.amount,
      ),
  );
  const settled = different.map((item) =>
    undefinedIfNodeFailed(() => asItem(session, item, item.later)),
  );
  return (await Promise.all(settled)).filter((item) => item !== undefined);
}

/** Returns another settlement of a plan as an item that rules do not compare with the quote. */
async function asItem(session: ForkSession, item: SettledPlan, now: Settled): Promise<SettledPlan> {
  const effects = effectsOf(item, item.holders, now.settlement);
  const parties = partiesOf(item, item.holders, session.wrappedNative);
  const strays = await straysIn(session.fork(), item, parties, { ...now, settle: simulate });
  return {
    ...{ ...item, ...strays, effects, effectsLater: effects },
    ...{ now, limited: undefined, later: now, poolsGive: undefined, unmoved: false },
    alternativeYield: undefined,
  };
}
