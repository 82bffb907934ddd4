import type { SettlementRule } from '../../model/rule.ts';
import { token, words } from '../../model/statement.ts';
import { faultUnless } from '../../rule-kit/faults.ts';
import { settlementRules } from '../../rule-kit/rules-by-id.ts';

/** Rules that compare tokens of plans with their contracts. @see Specification 2.3 */
export const rules: readonly SettlementRule[] = settlementRules('through-pools', {
  // "Decimal places": wrong decimals shift the decimal point of every amount.
  'execution/token-decimals': {
    clause: '2.3 decimals',
    must: "returns the `decimals` of the token's contract",
    needs: 'a plan with a token whose contract reports its decimals',
    check: ({ plan, decimalsOnChain }, t) => {
      const known = plan.tokens.flatMap((token) => {
        const [inPlan, onChain] = [plan.decimals.get(token), decimalsOnChain.get(token)];
        return inPlan === undefined || onChain === undefined ? [] : [{ token, inPlan, onChain }];
      });
      if (known.length === 0) return;
      const wrong = known.find(({ inPlan, onChain }) => inPlan !== onChain);
      return t.check(
        faultUnless(
          wrong === undefined,
          'differs',
          words`${wrong?.onChain ?? 0}, as ${token({ address: wrong?.token ?? '' })} reports`,
          words`${wrong?.inPlan ?? 0}`,
        ),
      );
    },
    breaks: [[{ decimalsOnChain: { BUY: 8 } }, '6']],
    notApplicable: [{ decimalsOnChain: { MID: 8 } }],
  },
});
