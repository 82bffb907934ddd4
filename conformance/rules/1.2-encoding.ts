import { ppmOf } from '../checks/conservation.ts';
import type { SettlementRule } from '../model/rule.ts';
import { amountIn, words } from '../model/statement.ts';
import { unless } from '../rule-kit/faults.ts';
import { isAboutAsMuch } from '../rule-kit/quote-distance.ts';
import { settlementRules } from '../rule-kit/rules-by-id.ts';
import { mustSettle } from '../rule-kit/settled.ts';

/** Rules on plans that a client encodes. @see Specification 1.2 */
export const rules: readonly SettlementRule[] = settlementRules('own-encoding', {
  'execution/own-encoding': {
    clause: '1.2 encoding',
    should: 'returns universal-router plans that settle as quoted when the client encodes them',
    because:
      '"A client may encode the plan itself with an encoder for a compatible router contract"',
    needs:
      'a plan for the universal router through known sources, on an unmoved market, or one that the service also encodes',
    judge: ({ unmoved, effects, plan, alternativeYield }, { tolerancePpm }) => {
      const inBought = (units: bigint) => amountIn(units, { address: plan.buy.token });
      const quoted = words`about ${inBought(plan.buy.amount)} received, as quoted`;
      // Without a minimum amount, no move of the market makes a plan revert.
      if (effects.kind === 'reverted') return mustSettle(effects, quoted);
      const { received } = effects;
      if (!unmoved) {
        if (alternativeYield === undefined) return undefined;
        return unless(
          isAboutAsMuch(received, alternativeYield),
          'yields-less',
          words`about ${inBought(alternativeYield)} received, the yield of the service\'s calldata on the same block`,
          words`${inBought(received)} received`,
        );
      }
      // A tolerated imbalance of an intermediate token affects the bought amount.
      const least = plan.buy.amount - ppmOf(plan.buy.amount, tolerancePpm);
      return unless(
        received >= least,
        'yields-less',
        quoted,
        words`${inBought(received)} received`,
      );
    },
    breaks: [
      [{ effects: { received: 19_999n } }, '19999 base units of BUY received'],
      [{ effects: { received: 19_979n }, tolerancePpm: 1_000 }, '19979 base units of BUY received'],
      [{ effects: 'reverted' }, 'TRANSFER_FAILED'],
      [{ unmoved: false, effects: 'reverted' }, 'TRANSFER_FAILED'],
      [{ unmoved: false, alternativeYield: 20_005n }, '20000 base units of BUY received'],
    ],
  },
});
