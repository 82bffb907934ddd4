import type { SettlementRule } from '../../model/rule.ts';
import { account, words } from '../../model/statement.ts';
import { unless } from '../../rule-kit/faults.ts';
import { settlementRules } from '../../rule-kit/rules-by-id.ts';

/** Rules on the tokens of plans, by their contracts. @see Specification 2.3 */
export const rules: readonly SettlementRule[] = settlementRules('as-returned', {
  // "Decimal places": who is told others moves the point in every amount.
  'execution/token-decimals': {
    clause: '2.3 decimals',
    must: "gives the `decimals` that the token's contract gives",
    needs: 'a plan with a token whose contract reports its decimals',
    judge: ({ plan, decimalsOnChain }) => {
      const told = plan.tokens.flatMap((token) => {
        const [said, is] = [plan.decimals.get(token), decimalsOnChain.get(token)];
        return said === undefined || is === undefined ? [] : [{ token, said, is }];
      });
      if (told.length === 0) return undefined;
      const wrong = told.find(({ said, is }) => said !== is);
      return unless(
        wrong === undefined,
        words`${wrong?.is ?? 0} decimals, as ${account(wrong?.token ?? '')} itself reports`,
        words`${wrong?.said ?? 0}`,
      );
    },
    breaks: [[{ decimalsOnChain: { BUY: 8 } }, '6']],
  },
});
