import type { SettlementRule } from '../model/rule.ts';
import { passIf, verdictOf } from '../rule-kit/faults.ts';

/** "A client may encode the plan itself with an encoder for a compatible router contract" */
const encodesByItself: SettlementRule<'own-encoding'> = {
  kind: 'settlement',
  evidence: 'own-encoding',
  id: 'execution/own-encoding',
  clause: '1.2 encoding',
  level: 'should',
  title: 'a plan for the universal router, encoded by its client, gives what was quoted',
  needs: 'a plan for the universal router through sources that are known here',
  judge: ({ unmoved, effects, plan }, { tolerancePpm }) => {
    if (!unmoved) return undefined;
    const expected = `about ${plan.buy.amount} received, as quoted`;
    if (effects.kind === 'reverted') return verdictOf([{ expected, actual: effects.reason }]);
    const { received } = effects;
    const least = plan.buy.amount - tolerated(plan.buy.amount, tolerancePpm);
    return passIf(received >= least, () => ({ expected, actual: `${received} received` }));
  },
};

/** What amounts between may be off by, as conservation tolerates, shows in what is bought. */
function tolerated(amount: bigint, tolerancePpm: number): bigint {
  return (amount * BigInt(Math.round(tolerancePpm))) / 1_000_000n;
}

/** Rules on plans that a client encodes. @see Specification 1.2 */
export const rules: readonly SettlementRule[] = [encodesByItself];
