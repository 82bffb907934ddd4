import { ppmOf } from '../../checks/conservation.ts';
import type { Check, SettlementRule } from '../../model/rule.ts';
import {
  type Effects,
  isSameToken,
  NATIVE_TOKEN,
  type SettledPlan,
  tokenBought,
  tokenSold,
} from '../../model/settlement.ts';
import {
  account,
  amountIn,
  count,
  note,
  ownWords,
  reason,
  token,
  words,
} from '../../model/statement.ts';
import { medianOf } from '../../model/statistics.ts';
import type { Address } from '../../model/trade-request.ts';
import { faultsOf, faultUnless } from '../../rule-kit/faults.ts';
import {
  bpsBetween,
  formatSigned,
  isAboutAsMuch,
  isMostOfGain,
  isNearQuote,
} from '../../rule-kit/quote-distance.ts';
import { settlementRules } from '../../rule-kit/rules-by-id.ts';
import { errorData, ifSettled, mustSettle } from '../../rule-kit/settled.ts';

function toleratedDust(plan: SettledPlan['plan'], token: Address, tolerancePpm: number): bigint {
  if (tolerancePpm === 0) return 0n;
  const legs = [plan.sell, ...plan.steps.flatMap(({ to }) => to)];
  const flow = legs.reduce((sum, leg) => (leg.token === token ? sum + leg.amount : sum), 0n);
  return ppmOf(flow, tolerancePpm) + 2n;
}

/**
 * Compares a trade on a moving market with the yield of the plan's pools at the same block, since
 * only this yield shows what the plan is worth.
 */
function judgeByPools(
  { received }: Extract<Effects, { kind: 'settled' }>,
  { buy: { amount, token } }: SettledPlan['plan'],
  alternativeYield: bigint,
  t: Check,
): void {
  const isNear = isNearQuote(alternativeYield, amount);
  if (!isNear && alternativeYield < amount) return;
  t.check(
    faultUnless(
      isNear
        ? isAboutAsMuch(received, alternativeYield)
        : isMostOfGain(received, alternativeYield, amount),
      'less-than-pools',
      words`about ${amountIn(alternativeYield, { address: token })} received: the yield of the plan's pools at the same block`,
      words`${amountIn(received, { address: token })}: ${note(formatSigned(bpsBetween(received, alternativeYield)))} bps from that yield`,
    ),
  );
}

function notTraced(why: string): string {
  return `it is unknown who ordered suspicious payments, since the trade could not be traced: ${why}`;
}

/** A remainder is dust if it is at most the sold amount divided by this number. */
const DUST_DIVISOR = 10_000n;

/** Accounts that must not keep any part of the trade. */
function intermediaries({ router, proxy }: SettledPlan['holders']): readonly Address[] {
  return proxy === undefined ? [router] : [router, proxy];
}

function soldForms(settled: SettledPlan): readonly Address[] {
  const { plan, request } = settled;
  const sold = new Set([tokenSold(settled), plan.sell.token]);
  return [...sold]
    .filter((token) => token !== tokenBought(settled))
    .filter((token) => request.buy.native || token !== plan.buy.token);
}

/** Markets rarely move by more than this between a quote and its settlement. */
const WIDE_TOLERANCE_BPS = 500;

/** Rules on the effects of the transaction in a SwapResponse. @see Specification 2.1 */
export const rules: readonly SettlementRule[] = settlementRules('as-returned', {
  // "Calldata that settles the trade on the router": executed on a fork, with unlimited gas.
  'execution/settles': {
    clause: '2.1 calldata',
    must: 'returns calldata that settles the trade one block later',
    needs: 'a plan with calldata',
    failsForWrongTokens: true,
    check: ({ effects }, t) =>
      t.check(
        faultsOf(effects.kind === 'settled' ? [] : [effects], (reverted) => ({
          ...{ fault: 'reverted', data: errorData(reverted), pointer: '/calldata' },
          ...{ expected: words`a trade that settles`, actual: [reason(reverted.reason)] },
        })),
      ),
    breaks: [[{ effects: 'reverted' }, 'at /calldata: TRANSFER_FAILED']],
  },
  'execution/settles-at-once': {
    clause: '2.1 calldata',
    should: 'returns calldata that settles at the first request, if the tolerance is 5% or more',
    because:
      'A client pays gas for a transaction that reverts, and a tolerance of 5% leaves the market room to move.',
    needs: 'a trade with a tolerance of 5% or more that settles',
    check: ifSettled((_, { request: { slippageBps = 0 }, failedBefore }, t) =>
      slippageBps < WIDE_TOLERANCE_BPS
        ? undefined
        : t.check(
            faultUnless(
              failedBefore === 0,
              'reverted-at-first',
              words`a trade that settles when first requested`,
              words`it reverted ${failedBefore} of ${failedBefore + 1} times`,
            ),
          ),
    ),
    observe: (items) => {
      const late = items.filter(({ failedBefore }) => failedBefore > 0).length;
      return `${late} of ${items.length} trades reverted when first requested, at any tolerance`;
    },
    breaks: [[{ request: { slippageBps: 500 }, failedBefore: 2 }, 'it reverted 2 of 3 times']],
    valid: [{ request: { slippageBps: 500 } }],
    notApplicable: [{}, { failedBefore: 2 }],
  },
  'execution/outlives-a-minute': {
    clause: '2.1 calldata',
    should: 'returns calldata that still settles the trade a minute later',
    because:
      'A client needs time to read, sign and send a transaction; calldata that expires at once never settles.',
    needs: 'calldata without market makers that settles',
    check: ifSettled((_, { effectsLater, request: { useRfq } }, t) =>
      // A market maker's order may be valid for only a few seconds.
      useRfq
        ? undefined
        : t.check(mustSettle(effectsLater, words`a trade that settles a minute later`)),
    ),
    breaks: [[{ effectsLater: 'reverted' }, 'TRANSFER_FAILED']],
    notApplicable: [{ request: { useRfq: true }, effectsLater: 'reverted' }],
  },
  // "Address of the router contract": a call to an address without code succeeds and does nothing.
  'execution/router-is-contract': {
    clause: '2.1 routerAddress',
    must: 'names a contract on the chain as `routerAddress`',
    needs: 'a plan with calldata',
    check: ({ routerHasCode, transaction }, t) =>
      t.check(
        faultUnless(
          routerHasCode,
          'no-code',
          words`a contract at \`routerAddress\` on the requested chain`,
          words`no code at ${account(transaction.router)}`,
        ),
      ),
    breaks: [[{ routerHasCode: false }, 'no code at router']],
  },
  // "Estimated upper bound of gas use, for configuring the transaction"
  'execution/gas-limit': {
    clause: '2.1 gasLimit',
    must: 'returns a sufficient `gasLimit`',
    needs: 'calldata that settles with enough gas',
    check: ({ atGasLimit, transaction }, t) => {
      if (atGasLimit === undefined) return;
      const { settlement } = atGasLimit;
      const { outcome, gasUsed, reason: why = '' } = settlement;
      const expected = words`a trade that settles within ${count(transaction.gasLimit)} gas`;
      if (outcome === 'rejected') {
        return t.check(
          faultUnless(false, 'rejected', expected, [reason(why)], errorData(settlement)),
        );
      }
      return t.check(
        faultUnless(
          outcome === 'settled',
          'failed',
          expected,
          words`it failed after ${count(gasUsed)} gas: ${reason(why)}`,
          errorData(settlement),
        ),
      );
    },
    observe: (items) => {
      const shares = items
        .flatMap(({ atGasLimit, transaction }) =>
          atGasLimit?.settlement.outcome === 'settled'
            ? [Number((atGasLimit.settlement.gasUsed * 1000n) / transaction.gasLimit) / 10]
            : [],
        )
        .sort((a, b) => a - b);
      if (shares.length === 0) return 'no transaction succeeded';
      const median = Number(medianOf(shares).toFixed(1));
      return `used a median of ${median}% of \`gasLimit\`, and at most ${shares.at(-1)}%`;
    },
    breaks: [
      [
        { atGasLimit: { outcome: 'reverted', gasUsed: 399_999n, reason: 'out of gas' } },
        'it failed after 399999 gas: out of gas',
      ],
      [{ atGasLimit: { outcome: 'rejected', reason: 'not enough gas' } }, 'not enough gas'],
    ],
    notApplicable: [{ atGasLimit: 'unknown' }],
  },
  'execution/gas-limit-fits': {
    clause: '2.1 gasLimit',
    should: 'returns a `gasLimit` within the limits of transactions and blocks',
    because:
      '"Estimated upper bound of gas use, for configuring the transaction": a transaction above the limit of a block, or of a transaction (EIP-7825), is never mined.',
    needs: 'a plan with calldata, on a chain whose gas limits are known',
    check: ({ transaction: { gasLimit }, blockGasLimit, transactionGasCap }, t) => {
      const bounds = [
        {
          fault: 'above-transaction-limit',
          most: transactionGasCap,
          what: 'the limit of a transaction on the chain',
        },
        { fault: 'above-block-limit', most: blockGasLimit, what: 'the limit of a block' },
      ].filter(({ most }) => most !== undefined);
      const exceeded = bounds.find(({ most = gasLimit }) => gasLimit > most);
      return bounds.length === 0
        ? undefined
        : t.check(
            faultUnless(
              exceeded === undefined,
              exceeded?.fault ?? '',
              words`at most ${count(exceeded?.most ?? 0n)}, ${ownWords(exceeded?.what ?? '')}`,
              words`${count(gasLimit)}`,
            ),
          );
    },
    breaks: [
      [{ blockGasLimit: 399_999n }, '400000'],
      [{ transactionGasCap: 399_999n }, '400000'],
    ],
    valid: [{ blockGasLimit: 400_000n }, { blockGasLimit: undefined, transactionGasCap: 400_000n }],
    notApplicable: [{ blockGasLimit: undefined }],
  },
  // "Token and amount sold"
  'execution/sells-exactly': {
    clause: '2.1 sell',
    must: 'takes exactly `sell.amount` from the user in an exact-input trade',
    needs: 'an exact-input trade that settles',
    check: ifSettled(({ spent }, { request, plan: { sell } }, t) =>
      request.swapKind === 'exact-input'
        ? t.check(
            faultUnless(
              spent === sell.amount,
              spent < sell.amount ? 'takes-less' : 'takes-more',
              words`${amountIn(sell.amount, { address: sell.token })} paid, the \`sell.amount\``,
              words`${amountIn(spent, { address: sell.token })} paid`,
            ),
          )
        : undefined,
    ),
    breaks: [
      [{ effects: { spent: 10_001n } }, '10001 base units of SELL paid'],
      [{ effects: { spent: 9_999n } }, '9999 base units of SELL paid'],
    ],
    notApplicable: [{ trade: 'exactOutput' }],
  },
  // "Token and amount sold": only one token is taken from the user.
  'execution/touches-no-other-token': {
    clause: '2.1 sell',
    must: 'takes only the sold token, even if the user has approved others',
    needs: 'a trade that settles',
    check: ifSettled((effects, settled, t) => {
      const { plan, holders, bystanders, untraced } = settled;
      const sold = tokenSold(settled);
      const [taken] = [NATIVE_TOKEN, ...plan.tokens, ...bystanders]
        .map((token) => ({ token, amount: -(effects.change(token, holders.user) ?? 0n) }))
        .concat(settled.taken)
        .filter(({ token, amount }) => !isSameToken(token, sold, settled) && amount > 0n);
      if (taken === undefined && untraced !== undefined) return t.stuck(notTraced(untraced));
      return t.check(
        faultUnless(
          taken === undefined,
          'takes-other-token',
          words`only ${token({ address: sold })} taken from the user`,
          words`${amountIn(taken?.amount ?? 0n, { address: taken?.token ?? '' })} taken`,
        ),
      );
    }),
    breaks: [
      [{ effects: { change: { SPARE: { user: -1n } } } }, '1 base unit of SPARE taken'],
      [{ effects: { change: { NATIVE: { user: -1n } } } }, '1 base unit of NATIVE taken'],
      [{ effects: { change: { MID: { user: -1n } } } }, '1 base unit of MID taken'],
      [{ effects: { change: { BUY: { user: -1n } } } }, '1 base unit of BUY taken'],
      [
        { trade: 'nativeSell', effects: { change: { SELL: { user: -1n } } } },
        '1 base unit of SELL taken',
      ],
      [{ taken: [{ token: 'SPARE', amount: 1n }] }, '1 base unit of SPARE taken'],
    ],
    valid: [{ effects: { change: { SPARE: { user: 1n } } } }, { trade: 'nativeSell' }],
    notApplicable: [{ untraced: 'its trace is too large' }],
  },
  // "converting all sell tokens into buy tokens", even if the market moves.
  'execution/converts-all': {
    clause: '2.1 routes',
    must: 'swaps everything that it takes: pays only the pools and the receiver, and refunds only the user',
    needs: 'a trade that settles',
    check: ifSettled(({ change }, settled, t) => {
      const { plan, holders, strays, untraced, tolerancePpm } = settled;
      const { user, receiver } = holders;
      const unswapped = (user === receiver ? [] : soldForms(settled)).map((token) => ({
        token,
        to: receiver,
        amount: change(token, receiver) ?? 0n,
      }));
      const retained = intermediaries(holders)
        .flatMap((to) =>
          soldForms(settled).map((token) => ({ token, to, amount: change(token, to) ?? 0n })),
        )
        .filter(({ amount }) => amount * DUST_DIVISOR > plan.sell.amount);
      const [stray] = [...strays, ...unswapped, ...retained].filter(
        ({ token, amount }) => amount > toleratedDust(plan, token, tolerancePpm),
      );
      if (stray === undefined && untraced !== undefined) return t.stuck(notTraced(untraced));
      return t.check(
        faultUnless(
          stray === undefined,
          'pays-elsewhere',
          words`everything taken of ${token({ address: plan.sell.token })} is paid to the pools or refunded to the user`,
          words`${amountIn(stray?.amount ?? 0n, { address: stray?.token ?? '' })} paid to ${account(stray?.to ?? '')}`,
        ),
      );
    }),
    breaks: [
      [
        { strays: [{ token: 'BUY', to: 'stranger', amount: 1n }] },
        '1 base unit of BUY paid to stranger',
      ],
      // The router may send 10% of the 20,000 bought base units, plus 2 units, to another account.
      [
        { strays: [{ token: 'BUY', to: 'stranger', amount: 2_003n }], tolerancePpm: 100_000 },
        '2003 base units of BUY paid to stranger',
      ],
      [{ effects: { change: { SELL: { receiver: 1n } } } }, '1 base unit of SELL paid to receiver'],
      [
        { trade: 'nativeSell', effects: { change: { NATIVE: { receiver: 1n } } } },
        '1 base unit of NATIVE paid to receiver',
      ],
      // More than a ten-thousandth of the sold amount is not dust.
      [{ effects: { change: { SELL: { router: 2n } } } }, '2 base units of SELL paid to router'],
      [{ effects: { change: { SELL: { proxy: 2n } } } }, '2 base units of SELL paid to proxy'],
      [
        { trade: 'nativeSell', effects: { change: { NATIVE: { router: 2n } } } },
        '2 base units of NATIVE paid to router',
      ],
      [
        { effects: { change: { SELL: { router: 1_003n } } }, tolerancePpm: 100_000 },
        '1003 base units of SELL paid to router',
      ],
    ],
    valid: [
      { holders: { receiver: 'user' }, effects: { change: { SELL: { user: 1n } } } },
      // The router may send 10% of the 20,000 bought base units, plus 2, to another account.
      { strays: [{ token: 'BUY', to: 'stranger', amount: 2_002n }], tolerancePpm: 100_000 },
    ],
    notApplicable: [{ untraced: 'its trace is too large' }],
  },
  'execution/quote-exact': {
    clause: '2.1 buy',
    should:
      "settles at exactly the quoted amount if the market did not move, otherwise at the yield of the plan's pools (within 0.01%)",
    because:
      '"Token and amount bought": exact if the market did not move, otherwise the yield of the plan\'s pools.',
    needs:
      'a trade that settles on a frozen market, or an exact input through pools that can be traded with directly',
    check: ifSettled((effects, { request, plan, frozen, alternativeYield }, t) => {
      if (!frozen)
        return alternativeYield === undefined
          ? undefined
          : judgeByPools(effects, plan, alternativeYield, t);
      const [actual, { amount: quoted, token }, verb] =
        request.swapKind === 'exact-input'
          ? ([effects.received, plan.buy, 'received'] as const)
          : ([effects.spent, plan.sell, 'paid'] as const);
      return t.check(
        faultUnless(
          actual === quoted,
          verb === 'paid' ? 'other-price' : actual < quoted ? 'pays-less' : 'pays-more',
          words`${amountIn(quoted, { address: token })} ${verb}`,
          words`${amountIn(actual, { address: token })}: ${note(formatSigned(bpsBetween(actual, quoted)))} bps from the quote`,
        ),
      );
    }),
    breaks: [
      [{ effects: { received: 19_900n } }, '19900 base units of BUY: -50 bps from the quote'],
      [{ effects: { received: 20_001n } }, '20001 base units of BUY: +0.5 bps from the quote'],
      [
        { trade: 'exactOutput', effects: { spent: 10_100n } },
        '10100 base units of SELL: +100 bps from the quote',
      ],
      [
        { frozen: false, alternativeYield: 20_005n },
        '20000 base units of BUY: -2.49 bps from that yield',
      ],
      // The router pays out a gain of 1% and keeps the rest.
      [
        { frozen: false, alternativeYield: 20_600n, effects: { received: 20_200n } },
        '20200 base units of BUY: -194.17 bps from that yield',
      ],
      [
        { plan: { buy: { token: 'BUY', amount: 0n } } },
        '20000 base units of BUY: 0 bps from the quote',
      ],
    ],
    valid: [
      { frozen: false, alternativeYield: 20_004n },
      // If the yield is far above the quote, the router may keep a tenth of the gain.
      { frozen: false, alternativeYield: 20_600n, effects: { received: 20_538n } },
    ],
    notApplicable: [
      { frozen: false, effects: { received: 19_900n } },
      { frozen: false, alternativeYield: 19_799n },
    ],
  },
  'execution/nothing-stays': {
    clause: '2.1 calldata',
    should: 'leaves nothing of the trade in the router or its token proxy',
    because: 'A client loses an amount that stays in the router: the next caller can take it.',
    needs: 'a trade that settles',
    check: ifSettled((effects, { plan, holders, tolerancePpm }, t) => {
      const left = intermediaries(holders)
        .flatMap((holder) =>
          [NATIVE_TOKEN, ...plan.tokens].map((token) => ({
            holder,
            token,
            amount: effects.change(token, holder) ?? 0n,
          })),
        )
        .find(({ token, amount }) => amount > toleratedDust(plan, token, tolerancePpm));
      return t.check(
        faultUnless(
          left === undefined,
          'keeps',
          words`no more in the router than before`,
          words`${amountIn(left?.amount ?? 0n, { address: left?.token ?? '' })} more in ${account(left?.holder ?? '')}`,
        ),
      );
    }),
    breaks: [
      [{ effects: { change: { MID: { router: 1n } } } }, '1 base unit of MID more in router'],
      [{ effects: { change: { NATIVE: { router: 1n } } } }, '1 base unit of NATIVE more in router'],
      [{ effects: { change: { SELL: { router: 1n } } } }, '1 base unit of SELL more in router'],
      [{ effects: { change: { BUY: { router: 1n } } } }, '1 base unit of BUY more in router'],
      [{ effects: { change: { MID: { proxy: 1n } } } }, '1 base unit of MID more in proxy'],
      [{ effects: { change: { NATIVE: { proxy: 1n } } } }, '1 base unit of NATIVE more in proxy'],
      [{ effects: { change: { SELL: { proxy: 1n } } } }, '1 base unit of SELL more in proxy'],
      [{ effects: { change: { BUY: { proxy: 1n } } } }, '1 base unit of BUY more in proxy'],
      // The plan moves 5,000 base units of the middle token. The router may keep 10% of this
      // amount, plus 2 units.
      [
        { effects: { change: { MID: { router: 503n } } }, tolerancePpm: 100_000 },
        '503 base units of MID more in router',
      ],
    ],
    valid: [
      { effects: { change: { SPARE: { router: -1n } } } },
      { effects: { change: { MID: { router: -1n } } } },
      { holders: { proxy: undefined }, effects: { change: { MID: { proxy: 1n } } } },
      // The plan moves 5,000 base units of the middle token. The router may keep 10% of this
      // amount, plus 2.
      { effects: { change: { MID: { router: 502n } } }, tolerancePpm: 100_000 },
    ],
  },
});
