import { ppmOf } from '../../checks/conservation.ts';
import type { SettlementRule } from '../../model/rule.ts';
import { REJECTED } from '../../model/scenario.ts';
import {
  NATIVE_TOKEN,
  type SettledOnce,
  type SwapPlan,
  tokenBought,
  tokenSold,
} from '../../model/settlement.ts';
import { account, amountIn, ownWords, type Value, words } from '../../model/statement.ts';
import { type Address, maxSold, minBought } from '../../model/trade-request.ts';
import { describeEncodedLimit } from '../../rule-kit/encoded-limit.ts';
import { faultUnless } from '../../rule-kit/faults.ts';
import { isRoundedExcess, maxExcess } from '../../rule-kit/pool-flows.ts';
import { describeDistances, isAboutAsMuch, isNearQuote } from '../../rule-kit/quote-distance.ts';
import { settlementRules } from '../../rule-kit/rules-by-id.ts';
import { ifSettled, mustCostAsUsual, mustSettle, type Settled } from '../../rule-kit/settled.ts';

function sold(units: bigint, { sell }: SwapPlan): Value {
  return amountIn(units, { address: sell.token });
}

function bought(units: bigint, { buy }: SwapPlan): Value {
  return amountIn(units, { address: buy.token });
}

function takesNothing(
  { change }: Settled,
  { tokens }: SwapPlan,
  accounts: readonly Address[],
  fault = 'takes-from-wallet',
) {
  const [taken] = accounts
    .flatMap((from) => [NATIVE_TOKEN, ...tokens].map((token) => ({ from, token })))
    .map((each) => ({ ...each, amount: -(change(each.token, each.from) ?? 0n) }))
    .filter(({ amount }) => amount > 0n);
  return faultUnless(
    taken === undefined,
    fault,
    words`nothing taken from ${account(taken?.from ?? '')}, which approved the router and did not call it`,
    words`${amountIn(taken?.amount ?? 0n, { address: taken?.token ?? NATIVE_TOKEN })} taken from this account`,
  );
}

/** Returns the accounts that a trade must not take tokens from, besides the requesting wallet. */
function othersOf({ now, holders }: SettledOnce): readonly Address[] {
  const { user, router, proxy } = holders;
  return now.scenario.measured.holders.filter((each) => ![user, router, proxy].includes(each));
}

/**
 * Rules on the effects that parameters of a swap have on its transaction. @see Specification 4.1
 */
export const rules: readonly SettlementRule[] = [
  ...settlementRules('as-returned', {
    // "Address that receives the buy token; when unset, the buy token goes to the transaction
    // sender"
    'execution/pays-recipient': {
      clause: '4.1 recipientAddress',
      must: 'pays the bought amount only to `recipientAddress`, or to the sender if it is unset',
      needs: 'a trade that settles',
      check: ifSettled(({ received, change }, settled, t) => {
        const { user, receiver } = settled.holders;
        const bought = tokenBought(settled);
        const isApart = user !== receiver && bought !== tokenSold(settled);
        const strayed = isApart ? (change(bought, user) ?? 0n) : 0n;
        return t.check(
          faultUnless(
            received > 0n && strayed <= 0n,
            strayed > 0n ? 'pays-sender' : 'pays-nothing',
            words`${amountIn(settled.plan.buy.amount, { address: bought })} to ${account(receiver)}`,
            strayed > 0n
              ? words`${amountIn(strayed, { address: bought })} to the sender ${account(user)}`
              : words`${amountIn(received, { address: bought })} to ${account(receiver)}`,
          ),
        );
      }),
      breaks: [
        [{ effects: { received: 0n } }, '0 base units of BUY to receiver'],
        [{ effects: { change: { BUY: { user: 3n } } } }, '3 base units of BUY to the sender user'],
        [
          { trade: 'nativeBuy', effects: { change: { NATIVE: { user: 3n } } } },
          '3 base units of NATIVE to the sender user',
        ],
      ],
      valid: [
        { effects: { change: { BUY: { user: 0n } } } },
        { holders: { receiver: 'user' }, effects: { change: { BUY: { user: 20_000n } } } },
        // The native token is both sold and bought, so a change of its balance proves nothing.
        { trade: 'nativeToNative', effects: { change: { NATIVE: { user: 3n } } } },
      ],
    },
    // "For the native token use either the all-zero 20-byte hex address or ..."
    'execution/pays-native': {
      clause: '4.1 native token',
      must: 'pays a buyer of the native token only in that token, not in its wrapped form',
      needs: 'a trade that buys the native token and settles',
      check: ifSettled(
        ({ received, change }, { request, plan: { buy }, holders, nativeToken }, t) => {
          // A native token that is also an ERC-20 has no wrapped form.
          if (!request.buy.native || buy.token === nativeToken) return;
          const wrapped = change(buy.token, holders.receiver) ?? 0n;
          return t.check(
            faultUnless(
              received > 0n && wrapped <= 0n,
              wrapped > 0n ? 'pays-wrapped' : 'pays-nothing',
              words`${buy.amount} of the native token`,
              words`${received} of the native token and ${amountIn(wrapped, { address: buy.token })}`,
            ),
          );
        },
      ),
      breaks: [
        [
          { trade: 'nativeBuy', effects: { change: { BUY: { receiver: 5n } } } },
          '20000 base units of the native token and 5 base units of BUY',
        ],
        [
          { trade: 'nativeBuy', effects: { received: 0n } },
          '0 base units of the native token and 0 base units of BUY',
        ],
      ],
      valid: [
        { trade: 'nativeBuy' },
        { trade: 'nativeBuy', effects: { change: { BUY: { receiver: 0n } } } },
      ],
      notApplicable: [{}],
    },
    // "exact-output swap": the requested amount is what the receiver gets, or more.
    'execution/buys-at-least': {
      clause: '4.1 buyAmount',
      must: 'pays at least `buyAmount` in an exact-output trade',
      needs: 'an exact-output trade that settles',
      check: ifSettled(({ received }, { request: { swapKind, amount }, plan }, t) =>
        swapKind === 'exact-output'
          ? t.check(
              faultUnless(
                received >= amount,
                'pays-less',
                words`at least ${bought(amount, plan)}, the requested amount`,
                words`${bought(received, plan)} received`,
              ),
            )
          : undefined,
      ),
      breaks: [
        [
          { trade: 'exactOutput', effects: { received: 19_999n } },
          '19999 base units of BUY received',
        ],
      ],
      notApplicable: [{}],
    },
    // "exact-output swap": paying more than quoted must not buy more than requested.
    'execution/buys-no-more': {
      clause: '4.1 buyAmount',
      must: 'spends more than quoted in an exact-output trade only if `buyAmount` costs more',
      needs: 'an exact-output trade that settles',
      check: ifSettled(({ spent, received }, { request, plan, poolsGive, tolerancePpm }, t) => {
        if (request.swapKind !== 'exact-output') return;
        const { amount } = request;
        const { forQuoted, forSpent } = poolsGive ?? { forQuoted: 0n, forSpent: 0n };
        const isOverpaid =
          isNearQuote(forQuoted, plan.buy.amount) && !isAboutAsMuch(received, forSpent);
        if (spent > plan.sell.amount && isOverpaid) {
          return t.check(
            faultUnless(
              false,
              'overpays',
              words`no more paid than ${bought(amount, plan)} costs: for that payment, the pools of the plan yield ${bought(forSpent, plan)}`,
              words`${sold(spent, plan)} paid and ${bought(received, plan)} received`,
            ),
          );
        }
        const more = received - amount - ppmOf(amount, tolerancePpm);
        return t.check(
          faultUnless(
            spent <= plan.sell.amount ||
              isRoundedExcess(more, amount, maxExcess(plan).of(plan.buy.token)),
            'buys-more',
            words`${bought(amount, plan)} received, or no more than ${sold(plan.sell.amount, plan)} paid`,
            words`${sold(spent, plan)} paid and ${bought(received, plan)} received`,
          ),
        );
      }),
      breaks: [
        // The pools receive 10,000 and 5,000 whole base units. So rounding allows the trade to buy
        // 6 units more than 20,000, and the tolerance 2 more.
        [
          { trade: 'exactOutput', effects: { spent: 10_001n, received: 20_009n } },
          '10001 base units of SELL paid and 20009 base units of BUY received',
        ],
        // The price moved by less than the excess payment.
        [
          {
            trade: 'exactOutput',
            effects: { spent: 10_050n },
            poolsGive: { forQuoted: 19_900n, forSpent: 20_005n },
          },
          '10050 base units of SELL paid and 20000 base units of BUY received',
        ],
      ],
      valid: [
        { trade: 'exactOutput', effects: { received: 20_200n } },
        // The pools receive 10,000 and 5,000 whole base units. So the trade may buy 6 more than
        // 20,000 due to rounding, and another 2.
        { trade: 'exactOutput', frozen: false, effects: { spent: 10_001n, received: 20_008n } },
        {
          trade: 'exactOutput',
          frozen: false,
          effects: { spent: 10_001n, received: 20_208n },
          tolerancePpm: 10_000,
        },
        // The price move explains the whole excess payment.
        {
          trade: 'exactOutput',
          frozen: false,
          effects: { spent: 10_050n },
          poolsGive: { forQuoted: 19_900n, forSpent: 20_004n },
        },
        // The price has moved too far to compare different ways to split a token.
        {
          trade: 'exactOutput',
          frozen: false,
          effects: { spent: 10_050n },
          poolsGive: { forQuoted: 19_799n, forSpent: 20_500n },
        },
      ],
      notApplicable: [{}],
    },
    // "0.01 means 1%": the trade may lose this share of the quote, but no more.
    'execution/within-tolerance': {
      clause: '4.1 slippageTolerance',
      must: 'settles within `slippageTolerance` of the quote',
      needs: 'a trade that settles',
      check: ifSettled(({ received, spent }, { request, plan }, t) => {
        if (request.swapKind === 'exact-input') {
          const min = minBought(request, plan);
          return t.check(
            faultUnless(
              received >= min,
              'pays-less',
              words`at least ${bought(min, plan)} received`,
              words`${bought(received, plan)} received`,
            ),
          );
        }
        const max = maxSold(request, plan);
        return t.check(
          faultUnless(
            spent <= max,
            'takes-more',
            words`at most ${sold(max, plan)} paid`,
            words`${sold(spent, plan)} paid`,
          ),
        );
      }),
      observe: describeDistances,
      breaks: [
        [{ effects: { received: 19_799n } }, '19799 base units of BUY received'],
        [{ trade: 'exactOutput', effects: { spent: 10_101n } }, '10101 base units of SELL paid'],
      ],
      valid: [
        { frozen: false, effects: { received: 19_800n } },
        { trade: 'exactOutput', frozen: false, effects: { spent: 10_100n } },
      ],
    },
  }),
  ...settlementRules('as-returned', {
    // "User's wallet address": only the user pays.
    'execution/takes-only-from-user': {
      clause: '4.1 userAddress',
      must: 'takes nothing from any account but the user, although others have approved the router',
      needs: 'a trade that settles while other accounts have approved the router',
      check: ifSettled((effects, item, t) =>
        item.funds.others === 'none'
          ? undefined
          : t.check(takesNothing(effects, item.plan, othersOf(item), 'takes-from-others')),
      ),
      breaks: [
        [
          { effects: { change: { SELL: { receiver: -7n } } } },
          '7 base units of SELL taken from this account',
        ],
        [
          { trade: 'nativeSell', effects: { change: { SELL: { receiver: -7n } } } },
          '7 base units of SELL taken from this account',
        ],
      ],
      valid: [{ effects: { change: { SELL: { router: -7n } } } }],
      notApplicable: [{ effects: 'reverted' }],
    },
  }),
  ...settlementRules('sent-by-another', {
    'execution/pays-sender': {
      clause: '4.1 recipientAddress',
      should:
        'pays the recipient, or the sender if the calldata names none, as if the requesting wallet had sent it',
      because:
        '"Address that receives the buy token; when unset, the buy token goes to the transaction sender": not to `userAddress`.',
      needs: 'calldata that settles for an account other than the one that requested it',
      check: ifSettled((effects, settled, t) => {
        const { received } = effects;
        if (received > 0n) return t.check(mustCostAsUsual(effects, settled));
        return t.check(
          faultUnless(
            false,
            'pays-nothing',
            words`${amountIn(settled.plan.buy.amount, { address: tokenBought(settled) })} to ${account(settled.holders.receiver)}`,
            words`${amountIn(received, { address: tokenBought(settled) })}`,
          ),
        );
      }),
      breaks: [
        [{ effects: { received: 0n } }, '0 base units of BUY'],
        // The rest is paid to the requesting wallet, or as a fee.
        [
          { asReturned: { received: 20_005n } },
          '10000 base units of SELL paid and 20000 base units of BUY received',
        ],
        // The refund is paid to the requesting wallet.
        [
          { trade: 'exactOutput', asReturned: { spent: 9_990n } },
          '10000 base units of SELL paid and 20000 base units of BUY received',
        ],
      ],
      valid: [{}, { asReturned: { spent: 9_998n, received: 20_004n } }],
      notApplicable: [{ effects: 'reverted' }],
    },
    // "User's wallet address": the sender of a transaction pays for it.
    'execution/takes-from-sender': {
      clause: '4.1 userAddress',
      must: 'takes nothing from the requesting wallet or others if another account sends the calldata',
      needs: 'calldata that settles for an account other than the one that requested it',
      check: ifSettled((effects, item, t) => {
        const { wallet } = item.request;
        if (wallet === undefined) return;
        t.check(takesNothing(effects, item.plan, [wallet, ...othersOf(item)]));
      }),
      breaks: [
        [
          { request: { wallet: 'stranger' }, effects: { change: { SELL: { stranger: -7n } } } },
          '7 base units of SELL taken from this account',
        ],
      ],
      valid: [
        { request: { wallet: 'stranger' } },
        { request: { wallet: 'stranger' }, effects: { change: { SELL: { receiver: 7n } } } },
      ],
      notApplicable: [{}, { effects: 'reverted' }],
    },
  }),
  ...settlementRules('with-code', {
    'execution/serves-accounts-with-code': {
      clause: '4.1 userAddress',
      should: 'settles for users and recipients with code on the same terms as for those without',
      because:
        '"User\'s wallet address": a wallet can be a contract, such as a Safe, or delegate to one, and 2,300 gas are too little to pay it.',
      needs: 'a plan that settles for an account without code',
      check: (item, t) =>
        item.effects.kind === 'settled'
          ? t.check(mustCostAsUsual(item.effects, item))
          : t.check(
              mustSettle(
                item.effects,
                words`a trade that settles for a ${ownWords(item.account)} as for others`,
              ),
            ),
      breaks: [
        [{ effects: 'reverted' }, 'TRANSFER_FAILED'],
        // The router charges contracts a fee, or pays them in another way.
        [
          { asReturned: { received: 20_005n } },
          '10000 base units of SELL paid and 20000 base units of BUY received',
        ],
        // The router refunds `tx.origin`.
        [
          { trade: 'exactOutput', asReturned: { spent: 9_990n } },
          '10000 base units of SELL paid and 20000 base units of BUY received',
        ],
      ],
      valid: [{}, { asReturned: { spent: 9_998n, received: 20_004n } }],
    },
    // "User's wallet address": if a contract calls the router, the contract is the user, not its
    // owner.
    'execution/takes-from-caller': {
      clause: '4.1 userAddress',
      must: 'takes nothing from the owner of a contract that makes the trade',
      needs: 'a trade that settles for a contract',
      check: ifSettled((effects, { owner, plan }, t) => {
        if (owner !== undefined) t.check(takesNothing(effects, plan, [owner]));
      }),
      breaks: [
        [
          { owner: 'stranger', effects: { change: { SELL: { stranger: -7n } } } },
          '7 base units of SELL taken from this account',
        ],
      ],
      valid: [
        { owner: 'stranger' },
        { owner: 'stranger', effects: { change: { SELL: { stranger: 7n } } } },
      ],
      notApplicable: [{}, { effects: 'reverted' }],
    },
  }),
  ...settlementRules('price-moved', {
    // "0 to 1 inclusive [...]; 0.01 means 1%": a trade with a larger loss must revert.
    'execution/protects': {
      clause: '4.1 slippageTolerance',
      must: 'returns calldata that reverts after the price has moved by more than `slippageTolerance`',
      needs: 'a plan whose price could be moved',
      check: (item, t) => {
        const { request, plan, toleranceBps, movedBps, effects } = item;
        if (toleranceBps >= movedBps) return;
        // A transaction that no block includes shows nothing about the price.
        if (effects.kind === 'reverted' && effects.error === REJECTED) return;
        if (effects.kind === 'reverted') return t.check();
        const { spent, received } = effects;
        const tolerant = { ...request, slippageBps: toleranceBps };
        // A router may find a better way to trade than its plan, so a result within the tolerance
        // is correct.
        return t.check(
          faultUnless(
            received >= minBought(tolerant, plan) && spent <= maxSold(tolerant, plan),
            'settles',
            words`the transaction reverts and costs the user only gas`,
            words`it paid ${sold(spent, plan)} and received ${bought(received, plan)}${describeEncodedLimit(item)}`,
          ),
        );
      },
      breaks: [
        [
          { toleranceBps: 50, movedBps: 100 },
          'it paid 10000 base units of SELL and received 19000 base units of BUY',
        ],
        [
          {
            trade: 'exactOutput',
            toleranceBps: 50,
            movedBps: 100,
            effects: { spent: 10_051n, received: 20_000n },
          },
          'it paid 10051 base units of SELL and received 20000 base units of BUY',
        ],
      ],
      valid: [
        { toleranceBps: 50, movedBps: 100, effects: 'reverted' },
        // The router found a better way to trade than its plan.
        { toleranceBps: 50, movedBps: 100, effects: { received: 19_900n } },
      ],
      notApplicable: [
        { toleranceBps: 100, movedBps: 100 },
        { toleranceBps: 200, movedBps: 100 },
        { toleranceBps: 50, movedBps: 100, effects: 'rejected' },
      ],
    },
    // "0.01 means 1%": a trade with a smaller loss settles.
    'execution/tolerates': {
      clause: '4.1 slippageTolerance',
      must: 'returns calldata that settles after the price has moved by less than `slippageTolerance`',
      needs: 'a plan whose price could be moved',
      check: (item, t) => {
        const { toleranceBps, movedBps, effects } = item;
        if (toleranceBps <= movedBps) return;
        const fault = mustSettle(effects, words`a trade that settles`);
        t.check(fault && { ...fault, actual: [...fault.actual, ...describeEncodedLimit(item)] });
      },
      breaks: [[{ toleranceBps: 200, movedBps: 100, effects: 'reverted' }, 'TRANSFER_FAILED']],
      valid: [{ toleranceBps: 200, movedBps: 100 }],
      notApplicable: [
        { toleranceBps: 100, movedBps: 100 },
        { toleranceBps: 50, movedBps: 100 },
      ],
    },
  }),
];
