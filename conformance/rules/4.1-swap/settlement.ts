import { describeAsk, describeMove } from '../../execution/ask.ts';
import { NATIVE_TOKEN } from '../../execution/execution.ts';
import { leastBought, mostSold } from '../../execution/limits.ts';
import type { ProbeRule } from '../../model/rule.ts';
import { describeDistances } from '../../rule-kit/quote-distance.ts';
import { judgeSettlements, unless, verdictOn } from '../../rule-kit/settlement-rule.ts';

/** "Address that receives the buy token; when unset, the buy token goes to the transaction sender" */
const paysReceiver = judgeSettlements({
  id: 'execution/pays-recipient',
  clause: '4.1 recipientAddress',
  level: 'must',
  title: 'what is bought goes to `recipientAddress`, or unset to the sender, and to no one else',
  needs: 'a trade that settles',
  judge: ({ effects, ask, plan, holders }) => {
    if (effects.kind === 'reverted') return undefined;
    const { user, receiver } = holders;
    const bought = ask.buy.native ? NATIVE_TOKEN : plan.buy.token;
    const sold = ask.sell.native ? NATIVE_TOKEN : plan.sell.token;
    const strayed = user === receiver || bought === sold ? 0n : effects.change(bought, user);
    const expected = `${plan.buy.amount} of ${bought} to ${receiver}`;
    if (strayed !== undefined && strayed > 0n) {
      return unless(false, expected, `${strayed} of it to the sender ${user}`);
    }
    return unless(effects.received > 0n, expected, `${effects.received} of it to ${receiver}`);
  },
});

/** "when unset, the buy token goes to the transaction sender": not to the wallet that was told. */
const paysSender: ProbeRule = {
  kind: 'probe',
  id: 'execution/pays-sender',
  clause: '4.1 recipientAddress',
  level: 'should',
  title: 'calldata without a recipient pays whoever sends it, if it settles for them',
  run: (session) =>
    verdictOn(
      session,
      (execution) => execution.sentByOthers(session),
      (items) => ({
        needs: 'calldata that settles for another than it was asked for',
        judged: items.map((item) => {
          const { ask, effects, plan, holders } = item;
          const words = `${describeAsk(ask)}, asked for ${ask.wallet}`;
          if (effects.kind === 'reverted') return { item, words };
          const bought = ask.buy.native ? NATIVE_TOKEN : plan.buy.token;
          return {
            item,
            words,
            ...unless(
              effects.received > 0n,
              `${plan.buy.amount} of ${bought} to the sender ${holders.user}`,
              `${effects.received} of it`,
            ),
          };
        }),
      }),
    ),
};

/** "For the native token use either the all-zero 20-byte hex address or ..." */
const paysNative = judgeSettlements({
  id: 'execution/pays-native',
  clause: '4.1 native token',
  level: 'must',
  title: 'who buys the native token receives native, and none of it wrapped',
  needs: 'a trade that buys the native token and settles',
  judge: ({ effects, ask, plan, holders }) => {
    if (!ask.buy.native || effects.kind === 'reverted') return undefined;
    const wrapped = effects.change(plan.buy.token, holders.receiver) ?? 0n;
    return unless(
      effects.received > 0n && wrapped <= 0n,
      `${plan.buy.amount} native`,
      `${effects.received} native and ${wrapped} of ${plan.buy.token}`,
    );
  },
});

/** "exact-output swap" */
const buysAtLeast = judgeSettlements({
  id: 'execution/buys-at-least',
  clause: '4.1 buyAmount',
  level: 'must',
  title: 'exact output: at least `buyAmount` is received',
  needs: 'an exact-output trade that settles',
  judge: ({ effects, ask }) =>
    ask.trade !== 'exact-output' || effects.kind === 'reverted'
      ? undefined
      : unless(
          effects.received >= ask.amount,
          `at least ${ask.amount}, as asked for`,
          `${effects.received} received`,
        ),
});

/** "0.01 means 1%" */
const staysWithinTolerance = judgeSettlements({
  id: 'execution/within-tolerance',
  clause: '4.1 slippageTolerance',
  level: 'must',
  title: 'what is received, or paid, is off the quote by no more than `slippageTolerance`',
  needs: 'a trade that settles',
  judge: ({ effects, ask, plan }) => {
    if (effects.kind === 'reverted') return undefined;
    if (ask.trade === 'exact-input') {
      const least = leastBought(ask, plan);
      return unless(
        effects.received >= least,
        `at least ${least} received`,
        `${effects.received} received`,
      );
    }
    const most = mostSold(ask, plan);
    return unless(effects.spent <= most, `at most ${most} paid`, `${effects.spent} paid`);
  },
  observe: describeDistances,
});

/** "0 to 1 inclusive [...]; 0.01 means 1%": what the tolerance does not allow must not be settled. */
const protects: ProbeRule = {
  kind: 'probe',
  id: 'execution/protects',
  clause: '4.1 slippageTolerance',
  level: 'must',
  title: 'after the price moved by more than `slippageTolerance`, the calldata reverts',
  run: (session) =>
    verdictOn(
      session,
      (execution) => execution.priceMoves(session),
      (moves) => ({
        needs: 'a plan whose price could be moved',
        judged: moves.map((item) => ({
          item,
          words: describeMove(item),
          ...(item.toleranceBps < item.movedBps &&
            unless(
              item.effects.kind === 'reverted',
              'the transaction reverts, and costs the user gas alone',
              item.effects.kind === 'settled'
                ? `it paid ${item.effects.spent} and received ${item.effects.received}`
                : '',
            )),
        })),
      }),
    ),
};

/** "0.01 means 1%": what the tolerance allows is settled. */
const tolerates: ProbeRule = {
  kind: 'probe',
  id: 'execution/tolerates',
  clause: '4.1 slippageTolerance',
  level: 'must',
  title: 'after the price moved by less than `slippageTolerance`, the calldata settles',
  run: (session) =>
    verdictOn(
      session,
      (execution) => execution.priceMoves(session),
      (moves) => ({
        needs: 'a plan whose price could be moved',
        judged: moves.map((item) => ({
          item,
          words: describeMove(item),
          ...(item.toleranceBps > item.movedBps &&
            unless(
              item.effects.kind === 'settled',
              'the trade is settled',
              item.effects.kind === 'reverted' ? item.effects.reason : '',
            )),
        })),
      }),
    ),
};

/** Rules on what the parameters of a swap promise of its transaction. @see Specification 4.1 */
export const rules: readonly ProbeRule[] = [
  paysReceiver,
  paysSender,
  paysNative,
  buysAtLeast,
  staysWithinTolerance,
  protects,
  tolerates,
];
