import type { SettlementRule } from '../../model/rule.ts';
import { tokenBought, tokenSold } from '../../model/settlement.ts';
import { leastBought, mostSold } from '../../model/trade-request.ts';
import { passIf, verdictOf } from '../../rule-kit/faults.ts';
import { describeDistances } from '../../rule-kit/quote-distance.ts';

const afterMove = { kind: 'settlement', evidence: 'price-moved' } as const;
const asReturned = { kind: 'settlement', evidence: 'as-returned' } as const;

/** "Address that receives the buy token; when unset, the buy token goes to the transaction sender" */
const paysReceiver: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/pays-recipient',
  clause: '4.1 recipientAddress',
  level: 'must',
  title: 'what is bought goes to `recipientAddress`, or unset to the sender, and to no one else',
  needs: 'a trade that settles',
  judge: (settled) => {
    const { effects, plan, holders } = settled;
    if (effects.kind === 'reverted') return undefined;
    const { user, receiver } = holders;
    const bought = tokenBought(settled);
    const strayed =
      user === receiver || bought === tokenSold(settled) ? 0n : effects.change(bought, user);
    const expected = `${plan.buy.amount} of ${bought} to ${receiver}`;
    if (strayed !== undefined && strayed > 0n) {
      return verdictOf([{ expected, actual: `${strayed} of it to the sender ${user}` }]);
    }
    return passIf(effects.received > 0n, () => ({
      expected,
      actual: `${effects.received} of it to ${receiver}`,
    }));
  },
};

/** "when unset, the buy token goes to the transaction sender": not to the wallet that was told. */
const paysSender: SettlementRule<'sent-by-another'> = {
  kind: 'settlement',
  evidence: 'sent-by-another',
  id: 'execution/pays-sender',
  clause: '4.1 recipientAddress',
  level: 'should',
  title: 'calldata without a recipient pays whoever sends it, if it settles for them',
  needs: 'calldata that settles for another than it was asked for',
  judge: (settled) => {
    const { effects, plan, holders } = settled;
    if (effects.kind === 'reverted') return undefined;
    return passIf(effects.received > 0n, () => ({
      expected: `${plan.buy.amount} of ${tokenBought(settled)} to the sender ${holders.user}`,
      actual: `${effects.received} of it`,
    }));
  },
};

/** "For the native token use either the all-zero 20-byte hex address or ..." */
const paysNative: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/pays-native',
  clause: '4.1 native token',
  level: 'must',
  title: 'who buys the native token receives native, and none of it wrapped',
  needs: 'a trade that buys the native token and settles',
  judge: ({ effects, request, plan, holders }) => {
    if (!request.buy.native || effects.kind === 'reverted') return undefined;
    const wrapped = effects.change(plan.buy.token, holders.receiver) ?? 0n;
    return passIf(effects.received > 0n && wrapped <= 0n, () => ({
      expected: `${plan.buy.amount} native`,
      actual: `${effects.received} native and ${wrapped} of ${plan.buy.token}`,
    }));
  },
};

/** "exact-output swap" */
const buysAtLeast: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/buys-at-least',
  clause: '4.1 buyAmount',
  level: 'must',
  title: 'exact output: at least `buyAmount` is received',
  needs: 'an exact-output trade that settles',
  judge: ({ effects, request }) =>
    request.swapKind !== 'exact-output' || effects.kind === 'reverted'
      ? undefined
      : passIf(effects.received >= request.amount, () => ({
          expected: `at least ${request.amount}, as asked for`,
          actual: `${effects.received} received`,
        })),
};

/** "0.01 means 1%" */
const staysWithinTolerance: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/within-tolerance',
  clause: '4.1 slippageTolerance',
  level: 'must',
  title: 'what is received, or paid, is off the quote by no more than `slippageTolerance`',
  needs: 'a trade that settles',
  judge: ({ effects, request, plan }) => {
    if (effects.kind === 'reverted') return undefined;
    if (request.swapKind === 'exact-input') {
      const least = leastBought(request, plan);
      return passIf(effects.received >= least, () => ({
        expected: `at least ${least} received`,
        actual: `${effects.received} received`,
      }));
    }
    const most = mostSold(request, plan);
    return passIf(effects.spent <= most, () => ({
      expected: `at most ${most} paid`,
      actual: `${effects.spent} paid`,
    }));
  },
  observe: describeDistances,
};

/** "0 to 1 inclusive [...]; 0.01 means 1%": what the tolerance does not allow must not be settled. */
const protects: SettlementRule<'price-moved'> = {
  ...afterMove,
  id: 'execution/protects',
  clause: '4.1 slippageTolerance',
  level: 'must',
  title: 'after the price moved by more than `slippageTolerance`, the calldata reverts',
  needs: 'a plan whose price could be moved',
  judge: ({ toleranceBps, movedBps, effects }) => {
    if (toleranceBps >= movedBps) return undefined;
    if (effects.kind === 'reverted') return verdictOf([]);
    const expected = 'the transaction reverts, and costs the user gas alone';
    const actual = `it paid ${effects.spent} and received ${effects.received}`;
    return verdictOf([{ expected, actual }]);
  },
};

/** "0.01 means 1%": what the tolerance allows is settled. */
const tolerates: SettlementRule<'price-moved'> = {
  ...afterMove,
  id: 'execution/tolerates',
  clause: '4.1 slippageTolerance',
  level: 'must',
  title: 'after the price moved by less than `slippageTolerance`, the calldata settles',
  needs: 'a plan whose price could be moved',
  judge: ({ toleranceBps, movedBps, effects }) => {
    if (toleranceBps <= movedBps) return undefined;
    if (effects.kind === 'settled') return verdictOf([]);
    return verdictOf([{ expected: 'the trade is settled', actual: effects.reason }]);
  },
};

/** Rules on what the parameters of a swap promise of its transaction. @see Specification 4.1 */
export const rules: readonly SettlementRule[] = [
  paysReceiver,
  paysSender,
  paysNative,
  buysAtLeast,
  staysWithinTolerance,
  protects,
  tolerates,
];
