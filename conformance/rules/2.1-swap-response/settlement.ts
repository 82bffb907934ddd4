import { ppmOf } from '../../checks/conservation.ts';
import type { SettlementRule } from '../../model/rule.ts';
import {
  type Effects,
  isSameToken,
  NATIVE_TOKEN,
  type SettledPlan,
  tokenBought,
  tokenSold,
} from '../../model/settlement.ts';
import { account, amountIn, count, note, ownWords, reason, words } from '../../model/statement.ts';
import type { Address } from '../../model/trade-request.ts';
import { unless, verdictOf } from '../../rule-kit/faults.ts';
import {
  bpBetween,
  isAboutAsMuch,
  isNearQuote,
  middle,
  signed,
} from '../../rule-kit/quote-distance.ts';
import { settlementRules } from '../../rule-kit/rules-by-id.ts';
import { ifSettled, mustSettle } from '../../rule-kit/settled.ts';

/** What may stay of a token: the part per million that conservation tolerates, of what flows of it. */
function dustOf(plan: SettledPlan['plan'], token: Address, tolerancePpm: number): bigint {
  if (tolerancePpm === 0) return 0n;
  const legs = [plan.sell, ...plan.steps.flatMap(({ to }) => to)];
  const flow = legs.reduce((sum, leg) => (leg.token === token ? sum + leg.amount : sum), 0n);
  return ppmOf(flow, tolerancePpm) + 2n;
}

/** Judges an exact input on a market that moves by what the pools of its plan give on the same block. */
function judgeBeside(
  { received }: Extract<Effects, { kind: 'settled' }>,
  { buy: { amount, token } }: SettledPlan['plan'],
  yieldBeside: bigint,
) {
  if (!isNearQuote(yieldBeside, amount)) return undefined;
  return unless(
    isAboutAsMuch(received, yieldBeside),
    words`about ${amountIn(yieldBeside, { address: token })} received, as the pools of the plan give on the same block`,
    words`${amountIn(received, { address: token })}: ${note(signed(bpBetween(received, yieldBeside)))} bp from that`,
  );
}

/** Of what is sold, a part that is dust: more is not left over, but kept. */
const DUST_PARTS = 10_000n;

/** Returns whom a trade passes through who are to keep nothing of it. */
function keepersOf({ router, proxy }: SettledPlan['holders']): readonly Address[] {
  return proxy === undefined ? [router] : [router, proxy];
}

/** Returns what is sold of a trade, as native too, but for what it buys. */
function soldIn(settled: SettledPlan): readonly Address[] {
  const { plan, request } = settled;
  const sold = new Set([tokenSold(settled), plan.sell.token]);
  return [...sold]
    .filter((token) => token !== tokenBought(settled))
    .filter((token) => request.buy.native || token !== plan.buy.token);
}

/** A move by so much, in steps of 0.0001, takes a market longer than a quote takes to be settled. */
const WIDE_BPS = 500;

/** Rules on what the transaction of a SwapResponse does. @see Specification 2.1 */
export const rules: readonly SettlementRule[] = settlementRules('as-returned', {
  // "Calldata that settles the trade on the router": on a chain, with all the gas it wants.
  'execution/settles': {
    clause: '2.1 calldata',
    must: 'gives calldata that settles the trade one block later',
    needs: 'a plan with calldata',
    judge: ({ effects }) =>
      verdictOf(effects.kind === 'settled' ? [] : [effects], ({ reason: why }) => ({
        expected: words`the trade settles`,
        actual: [reason(why)],
        pointer: '/calldata',
      })),
    breaks: [[{ effects: 'reverted' }, 'at /calldata: TRANSFER_FAILED']],
  },
  'execution/settles-at-once': {
    clause: '2.1 calldata',
    should: 'gives calldata that settles when first requested, with a tolerance of 5 % and more',
    because:
      'A client pays gas for a transaction that reverts, and a tolerance of 5 % leaves the market room to move.',
    needs: 'a trade with a tolerance of 5 % and more that settles',
    judge: ifSettled((_, { request: { slippageBps = 0 }, failedBefore }) =>
      slippageBps < WIDE_BPS
        ? undefined
        : unless(
            failedBefore === 0,
            words`the trade settles when first asked for`,
            words`it settled after calldata that reverted, ${failedBefore} of ${failedBefore + 1}`,
          ),
    ),
    observe: (items) => {
      const late = items.filter(({ failedBefore }) => failedBefore > 0).length;
      return `${late} of ${items.length} trades reverted when first asked for, at any tolerance`;
    },
    breaks: [
      [
        { request: { slippageBps: 500 }, failedBefore: 2 },
        'it settled after calldata that reverted, 2 of 3',
      ],
    ],
  },
  'execution/outlives-a-minute': {
    clause: '2.1 calldata',
    should: 'gives calldata that still settles the trade a minute later',
    because: 'A client needs time to read, sign and send: what expires at once settles nothing.',
    needs: 'calldata that settles at all',
    judge: ifSettled((_, { effectsLater }) =>
      mustSettle(effectsLater, words`the trade settles a minute later`),
    ),
    breaks: [[{ effectsLater: 'reverted' }, 'TRANSFER_FAILED']],
  },
  // "Address of the router contract": a call of an address without code succeeds, and does nothing.
  'execution/router-is-contract': {
    clause: '2.1 routerAddress',
    must: 'names a contract of the chain as `routerAddress`',
    needs: 'a plan with calldata',
    judge: ({ routerHasCode, transaction }) =>
      unless(
        routerHasCode,
        words`a contract at \`routerAddress\` on the chain asked for`,
        words`no code at ${account(transaction.router)}`,
      ),
    breaks: [[{ routerHasCode: false }, 'no code at router']],
  },
  // "Estimated upper bound of gas use, for configuring the transaction"
  'execution/gas-limit': {
    clause: '2.1 gasLimit',
    must: 'gives a `gasLimit` that is enough for the transaction',
    needs: 'calldata that settles with enough gas',
    judge: ({ mined, transaction }) => {
      if (mined === undefined) return undefined;
      const expected = words`the trade settles within ${count(transaction.gasLimit)} gas`;
      if (mined.kind === 'refused') return unless(false, expected, [reason(mined.reason)]);
      return unless(
        mined.success,
        expected,
        words`it failed after ${count(mined.gasUsed)} gas: ${reason(mined.reason ?? '')}`,
      );
    },
    observe: (items) => {
      const shares = items
        .flatMap(({ mined, transaction }) =>
          mined?.kind === 'mined' && mined.success
            ? [Number((mined.gasUsed * 1000n) / transaction.gasLimit) / 10]
            : [],
        )
        .sort((a, b) => a - b);
      if (shares.length === 0) return 'no transaction succeeded';
      return `used ${middle(shares)} % of \`gasLimit\` in the median, ${shares.at(-1)} % at most`;
    },
    breaks: [
      [
        { mined: { success: false, gasUsed: 399_999n, reason: 'out of gas' } },
        'it failed after 399999 gas: out of gas',
      ],
      [{ mined: 'rejected' }, 'not enough gas'],
    ],
  },
  'execution/gas-limit-fits': {
    clause: '2.1 gasLimit',
    should: 'gives a `gasLimit` that a transaction of the chain may have and a block can hold',
    because:
      '"Estimated upper bound of gas use, for configuring the transaction": no block takes one with more than it holds, or than a transaction may have (EIP-7825).',
    needs: 'a plan with calldata, on a chain that tells the gas of its blocks',
    judge: ({ transaction: { gasLimit }, blockGasLimit, transactionGasCap }) => {
      const bounds = [
        { most: transactionGasCap, what: 'which a transaction of the chain may have' },
        { most: blockGasLimit, what: 'which a block holds' },
      ].filter(({ most }) => most !== undefined);
      const exceeded = bounds.find(({ most = gasLimit }) => gasLimit > most);
      return bounds.length === 0
        ? undefined
        : unless(
            exceeded === undefined,
            words`at most ${count(exceeded?.most ?? 0n)}, ${ownWords(exceeded?.what ?? '')}`,
            words`${count(gasLimit)}`,
          );
    },
    breaks: [
      [{ blockGasLimit: 399_999n }, '400000'],
      [{ transactionGasCap: 399_999n }, '400000'],
    ],
  },
  // "Token and amount sold"
  'execution/sells-exactly': {
    clause: '2.1 sell',
    must: 'exact input: takes exactly `sell.amount` from the user',
    needs: 'an exact-input trade that settles',
    judge: ifSettled(({ spent }, { request, plan: { sell } }) =>
      request.swapKind === 'exact-input'
        ? unless(
            spent === sell.amount,
            words`${amountIn(sell.amount, { address: sell.token })} paid, as \`sell.amount\` says`,
            words`${amountIn(spent, { address: sell.token })} paid`,
          )
        : undefined,
    ),
    breaks: [
      [{ effects: { spent: 10_001n } }, '10001 base units of SELL paid'],
      [{ effects: { spent: 9_999n } }, '9999 base units of SELL paid'],
    ],
  },
  // "Token and amount sold": the user sells one token, and keeps all others.
  'execution/touches-no-other-token': {
    clause: '2.1 sell',
    must: 'takes no token but the sold one from a user who approved others too',
    needs: 'a trade that settles',
    judge: ifSettled((effects, settled) => {
      const { plan, holders, bystanders } = settled;
      const sold = tokenSold(settled);
      const [taken] = [NATIVE_TOKEN, ...plan.tokens, ...bystanders]
        .map((token) => ({ token, amount: -(effects.change(token, holders.user) ?? 0n) }))
        .concat(settled.taken)
        .filter(({ token, amount }) => !isSameToken(token, sold, settled) && amount > 0n);
      return unless(
        taken === undefined,
        words`nothing but ${account(sold)} taken from the user`,
        words`${amountIn(taken?.amount ?? 0n, { address: taken?.token ?? '' })} taken`,
      );
    }),
    breaks: [
      [{ effects: { change: { SPARE: { user: -1n } } } }, '1 base units of SPARE taken'],
      [{ effects: { change: { NATIVE: { user: -1n } } } }, '1 base units of NATIVE taken'],
      [{ effects: { change: { MID: { user: -1n } } } }, '1 base units of MID taken'],
      [{ effects: { change: { BUY: { user: -1n } } } }, '1 base units of BUY taken'],
      [
        { trade: 'nativeSell', effects: { change: { SELL: { user: -1n } } } },
        '1 base units of SELL taken',
      ],
      [{ taken: [{ token: 'SPARE', amount: 1n }] }, '1 base units of SPARE taken'],
    ],
  },
  // "converting all sell tokens into buy tokens", whatever the market does meanwhile.
  'execution/converts-all': {
    clause: '2.1 routes',
    must: 'swaps all that it takes: pays nobody but the pools, the receiver, and the user who is refunded',
    needs: 'a trade that settles as a transaction',
    judge: ifSettled(({ change }, settled, { tolerancePpm }) => {
      const { plan, holders, strays, mined } = settled;
      if (mined?.kind !== 'mined' || !mined.success) return undefined;
      const { user, receiver } = holders;
      const unswapped = (user === receiver ? [] : soldIn(settled)).map((token) => ({
        token,
        to: receiver,
        amount: change(token, receiver) ?? 0n,
      }));
      const kept = keepersOf(holders)
        .flatMap((to) =>
          soldIn(settled).map((token) => ({ token, to, amount: change(token, to) ?? 0n })),
        )
        .filter(({ amount }) => amount * DUST_PARTS > plan.sell.amount);
      const [stray] = [...strays, ...unswapped, ...kept].filter(
        ({ token, amount }) => amount > dustOf(plan, token, tolerancePpm),
      );
      return unless(
        stray === undefined,
        words`all of ${account(plan.sell.token)} that is taken goes to the pools, or back to the user`,
        words`${amountIn(stray?.amount ?? 0n, { address: stray?.token ?? '' })} paid to ${account(stray?.to ?? '')}`,
      );
    }),
    breaks: [
      [
        { strays: [{ token: 'BUY', to: 'stranger', amount: 1n }] },
        '1 base units of BUY paid to stranger',
      ],
      // 20,000 of the bought token flow, of which 100,000 ppm and 2 base units may go astray.
      [
        { strays: [{ token: 'BUY', to: 'stranger', amount: 2_003n }], tolerancePpm: 100_000 },
        '2003 base units of BUY paid to stranger',
      ],
      [
        { effects: { change: { SELL: { receiver: 1n } } } },
        '1 base units of SELL paid to receiver',
      ],
      [
        { trade: 'nativeSell', effects: { change: { NATIVE: { receiver: 1n } } } },
        '1 base units of NATIVE paid to receiver',
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
  },
  'execution/quote-exact': {
    clause: '2.1 buy',
    should:
      'settles at exactly the quoted amount on an unmoved market, and at what the pools of its plan give on one that moves (within 0.01 %)',
    because:
      '"Token and amount bought", on a market that stood still since; on one that moves, what the pools of the plan give.',
    needs:
      'a trade that settles on a market that stood still, or an exact input through pools that can be traded with directly',
    judge: ifSettled((effects, { request, plan, unmoved, yieldBeside }) => {
      if (!unmoved)
        return yieldBeside === undefined ? undefined : judgeBeside(effects, plan, yieldBeside);
      const [did, { amount: quoted, token }, verb] =
        request.swapKind === 'exact-input'
          ? ([effects.received, plan.buy, 'received'] as const)
          : ([effects.spent, plan.sell, 'paid'] as const);
      return unless(
        did === quoted,
        words`${amountIn(quoted, { address: token })} ${verb}`,
        words`${amountIn(did, { address: token })}: ${note(signed(bpBetween(did, quoted)))} bp from the quote`,
      );
    }),
    breaks: [
      [{ effects: { received: 19_900n } }, '19900 base units of BUY: -50 bp from the quote'],
      [{ effects: { received: 20_001n } }, '20001 base units of BUY: +0.5 bp from the quote'],
      [
        { trade: 'exactOutput', effects: { spent: 10_100n } },
        '10100 base units of SELL: +100 bp from the quote',
      ],
      [{ unmoved: false, yieldBeside: 20_005n }, '20000 base units of BUY: -2.49 bp from that'],
      [
        { plan: { buy: { token: 'BUY', amount: 0n } } },
        '20000 base units of BUY: 0 bp from the quote',
      ],
    ],
  },
  'execution/nothing-stays': {
    clause: '2.1 calldata',
    should: 'leaves nothing of the trade in the router or its token proxy',
    because: 'A client loses what stays in the router: whoever calls it next takes it.',
    needs: 'a trade that settles',
    judge: ifSettled((effects, { plan, holders }, { tolerancePpm }) => {
      const left = keepersOf(holders)
        .flatMap((keeper) =>
          [NATIVE_TOKEN, ...plan.tokens].map((token) => ({
            keeper,
            token,
            amount: effects.change(token, keeper) ?? 0n,
          })),
        )
        .find(({ token, amount }) => amount > dustOf(plan, token, tolerancePpm));
      return unless(
        left === undefined,
        words`as much in the router as before`,
        words`${amountIn(left?.amount ?? 0n, { address: left?.token ?? '' })} more in ${account(left?.keeper ?? '')}`,
      );
    }),
    breaks: [
      [{ effects: { change: { MID: { router: 1n } } } }, '1 base units of MID more in router'],
      [
        { effects: { change: { NATIVE: { router: 1n } } } },
        '1 base units of NATIVE more in router',
      ],
      [{ effects: { change: { SELL: { router: 1n } } } }, '1 base units of SELL more in router'],
      [{ effects: { change: { BUY: { router: 1n } } } }, '1 base units of BUY more in router'],
      [{ effects: { change: { MID: { proxy: 1n } } } }, '1 base units of MID more in proxy'],
      [{ effects: { change: { NATIVE: { proxy: 1n } } } }, '1 base units of NATIVE more in proxy'],
      [{ effects: { change: { SELL: { proxy: 1n } } } }, '1 base units of SELL more in proxy'],
      [{ effects: { change: { BUY: { proxy: 1n } } } }, '1 base units of BUY more in proxy'],
      // 5,000 of the middle token flow, of which 100,000 ppm and 2 base units may stay.
      [
        { effects: { change: { MID: { router: 503n } } }, tolerancePpm: 100_000 },
        '503 base units of MID more in router',
      ],
    ],
  },
});
