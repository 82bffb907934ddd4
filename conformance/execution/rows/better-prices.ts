import type { Settled, SettledPlan } from '../../model/settlement.ts';
import { bpsBetween } from '../../rule-kit/quote-distance.ts';
import type { Fork } from '../fork/fork.ts';
import { ampleGas } from '../scenario/circumstances.ts';
import { impossible } from '../settle/impossible.ts';
import { combine } from '../settle/provision.ts';
import { simulate } from '../settle/simulate.ts';
import { partiesOf, straysIn } from '../settle/strays.ts';
import { marketsInFavor } from './moved-markets.ts';
import { kindOf } from './other-accounts.ts';
import { ownSample, type Row } from './row.ts';

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

/** Settles one plan of each kind at a better price than quoted, by a small and by a large gain. */
export const BETTER_PRICES = GAINS_BP.map(
  ([min, gain, max]): Row<'as-returned'> => ({
    kind: 'as-returned',
    sampleOf: (settled) => {
      const { request, plan, effects } = settled;
      if (request.useRfq || effects.kind === 'reverted') return undefined;
      if (plan.sell.amount < MIN_AMOUNT || plan.buy.amount < MIN_AMOUNT) return undefined;
      return kindOf(settled);
    },
    change: async ({ fork }, settled) => {
      const limit = (settled.plan.buy.amount * BigInt(10_000 + gain)) / 10_000n;
      const [present, ...markets] = await marketsInFavor(fork, settled, [limit]);
      const market = markets.findLast(({ received }) => {
        const gained = bpsBetween(received, present?.received ?? received);
        return gained >= min && gained <= max;
      });
      if (market === undefined) return impossible('no price could be improved');
      const { scenario } = settled.now;
      // The service estimated the gas for the market as it was.
      const gas = ampleGas(fork.block);
      const isComparable = settled.request.swapKind === 'exact-input';
      return [
        {
          scenario: { ...scenario, ...combine(scenario, market.provision), gas },
          evidenceOf: async ({ now, effects }) => ({
            ...(await asItem(fork, settled, { now, effects })),
            alternativeYield: isComparable ? market.received : undefined,
            circumstance: 'at a better price',
          }),
        },
      ];
    },
  }),
);

/**
 * Settlements a minute later whose effects differ from those at once. Every rule judges them, since
 * a router may take more as time passes.
 */
export const DIFFERENT_LATER: Row<'as-returned'> = {
  kind: 'as-returned',
  sampleOf: (settled) => (isDifferentLater(settled) ? ownSample(settled) : undefined),
  change: async ({ fork }, settled) => [
    {
      scenario: settled.later.scenario,
      evidenceOf: async (later) => ({
        ...(await asItem(fork, settled, later)),
        circumstance: 'a minute later',
      }),
    },
  ],
};

function isDifferentLater({ now, later, effects, effectsLater }: SettledPlan): boolean {
  return (
    effects.kind === 'settled' &&
    effectsLater.kind === 'settled' &&
    later.settlement.changes.some(
      ({ amount }, index) => amount !== now.settlement.changes[index]?.amount,
    )
  );
}

/** Returns another settlement of a plan as an item that rules do not compare with the quote. */
export async function asItem(
  fork: Fork,
  plan: SettledPlan,
  { now, effects }: { readonly now: Settled; readonly effects: SettledPlan['effects'] },
): Promise<SettledPlan> {
  const parties = partiesOf(plan, plan.holders, fork.wrappedNative);
  const strays = await straysIn(fork, plan, parties, { ...now, settle: simulate });
  return {
    ...plan,
    ...strays,
    now,
    effects,
    atGasLimit: undefined,
    frozen: false,
    alternativeYield: undefined,
    poolsGive: undefined,
  };
}
