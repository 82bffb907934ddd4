import type { SettlementRule } from '../../model/rule.ts';
import { verdictOf } from '../../rule-kit/faults.ts';

/** "Decimal places": who is told others moves the point in every amount. */
const decimalsAreTrue: SettlementRule<'as-returned'> = {
  kind: 'settlement',
  evidence: 'as-returned',
  id: 'execution/token-decimals',
  clause: '2.3 decimals',
  level: 'must',
  title: '`decimals` of every token is what its contract says',
  needs: 'a plan with a token whose contract tells its decimals',
  judge: ({ plan, decimalsOnChain }) => {
    const told = plan.tokens.flatMap((token) => {
      const [said, is] = [plan.decimals.get(token), decimalsOnChain.get(token)];
      return said === undefined || is === undefined ? [] : [{ token, said, is }];
    });
    if (told.length === 0) return undefined;
    const wrong = told.find(({ said, is }) => said !== is);
    if (wrong === undefined) return verdictOf([]);
    const expected = `${wrong.is} decimals, as ${wrong.token} says itself`;
    return verdictOf([{ expected, actual: `${wrong.said}` }]);
  },
};

/** Rules on the tokens of plans, by their contracts. @see Specification 2.3 */
export const rules: readonly SettlementRule[] = [decimalsAreTrue];
