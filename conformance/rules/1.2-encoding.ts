import { describeAsk } from '../execution/ask.ts';
import type { ProbeRule } from '../model/rule.ts';
import { unless, verdictOn } from '../rule-kit/settlement-rule.ts';

/** "A client may encode the plan itself with an encoder for a compatible router contract" */
const encodesByItself: ProbeRule = {
  kind: 'probe',
  id: 'execution/own-encoding',
  clause: '1.2 encoding',
  level: 'should',
  title: 'a plan for the universal router, encoded by its client, gives what was quoted',
  run: (session) =>
    verdictOn(
      session,
      (execution) => execution.ownEncodings(session),
      (items) => ({
        needs: 'a plan for the universal router through sources that are known here',
        judged: items
          .filter(({ unmoved }) => unmoved)
          .map((item) => {
            const { effects, plan, ask } = item;
            const words = describeAsk(ask);
            const expected = `about ${plan.buy.amount} received, as quoted`;
            if (effects.kind === 'reverted') {
              return { item, words, ...unless(false, expected, effects.reason) };
            }
            const least = plan.buy.amount - tolerated(plan.buy.amount, session.tolerancePpm);
            const { received } = effects;
            return { item, words, ...unless(received >= least, expected, `${received} received`) };
          }),
      }),
    ),
};

/** What amounts between may be off by, as conservation tolerates, shows in what is bought. */
function tolerated(amount: bigint, tolerancePpm: number): bigint {
  return (amount * BigInt(Math.round(tolerancePpm))) / 1_000_000n;
}

/** Rules on plans that a client encodes. @see Specification 1.2 */
export const rules: readonly ProbeRule[] = [encodesByItself];
