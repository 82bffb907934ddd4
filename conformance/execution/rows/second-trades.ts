import { maxSold } from '../../model/trade-request.ts';
import { ampleGas, repeatableCircumstances } from '../scenario/circumstances.ts';
import { scenarioOf } from '../scenario/scenario.ts';
import { impossible, isImpossible } from '../settle/impossible.ts';
import { combineLargest } from '../settle/provision.ts';
import { asItem } from './better-prices.ts';
import { isWithin } from './moved-markets.ts';
import { hasEarlierCalls, paysUser } from './other-accounts.ts';
import { yieldOfPools } from './pool-yields.ts';
import type { Row } from './row.ts';
import { requestTrade } from './settle-until-final.ts';
import { isSplitOutput } from './worse-prices.ts';

/** The earlier trade sells or buys this part of the amount, so that it moves the price little. */
const PART_OF_AMOUNT = 10n;
const FIRST_TOLERANCE_BPS = 1_000;
/** Minimum tolerance of the second trade, which the first should not exceed. */
const MIN_TOLERANCE_BPS = 50;

/**
 * Settles a plan after a trade of the same pair through the same router, by the same user or by
 * another. An allowance, a nonce or a remainder that the first trade leaves in a router may make
 * the second fail or pay less. The yield of the plan's pools after the first trade shows what the
 * second must pay. Orders of market makers are left out, since each can be filled only once.
 */
export const SECOND_TRADES = (['the same user', 'another user'] as const).map(
  (by): Row<'as-returned'> => ({
    kind: 'as-returned',
    sampleOf: (settled) => {
      const { request, effects } = settled;
      const isLeftOut = request.useRfq || isSplitOutput(settled) || hasEarlierCalls(settled);
      if (effects.kind === 'reverted' || isLeftOut) return undefined;
      if ((request.slippageBps ?? 0) < MIN_TOLERANCE_BPS) return undefined;
      return [request.router, request.swapKind, paysUser(settled)].join();
    },
    change: async (forked, settled) => {
      const { fork } = forked;
      const { request, plan } = settled;
      const first = await requestTrade(forked, {
        ...request,
        user: by === 'the same user' ? request.user : fork.accounts.wallet,
        recipient: undefined,
        amount: request.amount / PART_OF_AMOUNT || 1n,
        slippageBps: FIRST_TOLERANCE_BPS,
      });
      if (first === undefined)
        return impossible('the service returned no calldata for an earlier trade');
      // The same user must also be able to pay for the second trade.
      const earlier = await scenarioOf(fork, first, repeatableCircumstances(fork));
      if (isImpossible(earlier)) return earlier;
      const { scenario } = settled.now;
      const before = [...earlier.before, earlier.trade];
      const given = combineLargest({ ...earlier, before }, scenario);
      const received = await yieldOfPools(fork, settled, maxSold(request, plan), given);
      if (received === undefined) return impossible('its pools cannot be traded with directly');
      if (!isWithin({ received }, settled))
        return impossible('an earlier trade moves the price too far');
      return [
        {
          scenario: { ...scenario, ...given, gas: ampleGas(fork.block) },
          evidenceOf: async ({ now, effects }) => ({
            ...(await asItem(fork, settled, { now, effects })),
            alternativeYield: request.swapKind === 'exact-input' ? received : undefined,
            circumstance: `after a trade of ${by}`,
          }),
        },
      ];
    },
  }),
);
