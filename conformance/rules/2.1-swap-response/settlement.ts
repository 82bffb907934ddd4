import type { SettlementRule } from '../../model/rule.ts';
import { NATIVE_TOKEN, type SettledPlan, tokenSold } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { passIf, verdictOf } from '../../rule-kit/faults.ts';
import { bpBetween, middle, signed } from '../../rule-kit/quote-distance.ts';

const asReturned = { kind: 'settlement', evidence: 'as-returned' } as const;

/** "Calldata that settles the trade on the router": on a chain, with all the gas it wants. */
const settles: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/settles',
  clause: '2.1 calldata',
  level: 'must',
  title: 'the calldata settles the trade on the chain, sent by the user a block later',
  needs: 'a plan with calldata',
  judge: ({ effects }) =>
    verdictOf(
      effects.kind === 'settled'
        ? []
        : [{ expected: 'the trade is settled', actual: effects.reason, pointer: '/calldata' }],
    ),
};

/** A person needs time to read, sign and send: what expires at once settles nothing. */
const outlivesAMinute: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/outlives-a-minute',
  clause: '2.1 calldata',
  level: 'should',
  title: 'the calldata still settles the trade a minute after it was given',
  needs: 'calldata that settles at all',
  judge: ({ effects, effectsLater }) =>
    effects.kind === 'reverted'
      ? undefined
      : verdictOf(
          effectsLater.kind === 'settled'
            ? []
            : [{ expected: 'the trade is settled a minute later', actual: effectsLater.reason }],
        ),
};

/** "Address of the router contract": a call of an address without code succeeds, and does nothing. */
const routerIsContract: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/router-is-contract',
  clause: '2.1 routerAddress',
  level: 'must',
  title: '`routerAddress` is a contract on this chain',
  needs: 'a plan with calldata',
  judge: ({ routerHasCode, transaction }) =>
    passIf(routerHasCode, () => ({
      expected: 'a contract at `routerAddress` on the chain asked for',
      actual: `no code at ${transaction.router}`,
    })),
};

/** "Estimated upper bound of gas use, for configuring the transaction" */
const gasLimitHolds: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/gas-limit',
  clause: '2.1 gasLimit',
  level: 'must',
  title: 'a transaction with `gasLimit` as its gas limit succeeds',
  needs: 'calldata that settles with enough gas',
  judge: ({ mined, transaction }) => {
    if (mined === undefined) return undefined;
    const expected = `the trade is settled within ${transaction.gasLimit} gas`;
    if (mined.kind === 'refused') return verdictOf([{ expected, actual: mined.reason }]);
    return passIf(mined.success, () => ({
      expected,
      actual: `it failed after ${mined.gasUsed} gas`,
    }));
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
};

/** "Token and amount sold" */
const sellsExactly: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/sells-exactly',
  clause: '2.1 sell',
  level: 'must',
  title: 'exact input: the user pays exactly `sell.amount`',
  needs: 'an exact-input trade that settles',
  judge: ({ request, plan, effects }) =>
    request.swapKind !== 'exact-input' || effects.kind === 'reverted'
      ? undefined
      : passIf(effects.spent === plan.sell.amount, () => ({
          expected: `${plan.sell.amount} paid, as \`sell.amount\` says`,
          actual: `${effects.spent} paid`,
        })),
};

/** "Token and amount sold": the user sells one token, and keeps all others. */
const touchesNoOther: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/touches-no-other-token',
  clause: '2.1 sell',
  level: 'must',
  title: 'no token of the user but the one sold becomes less, approved as it may be',
  needs: 'a trade that settles',
  judge: (settled) => {
    const { effects, plan, holders, bystanders } = settled;
    if (effects.kind === 'reverted') return undefined;
    const sold = tokenSold(settled);
    const others = [NATIVE_TOKEN, ...plan.tokens, ...bystanders].filter((each) => each !== sold);
    const taken = others
      .map((token) => ({ token, change: effects.change(token, holders.user) ?? 0n }))
      .find(({ change }) => change < 0n);
    if (taken === undefined) return verdictOf([]);
    const expected = `nothing but ${sold} taken from the user`;
    return verdictOf([{ expected, actual: `${-taken.change} of ${taken.token} taken` }]);
  },
};

/** "Token and amount bought", on a market that stood still since. */
const quoteIsExact: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/quote-exact',
  clause: '2.1 buy',
  level: 'should',
  title: 'on an unmoved market the trade gives, or costs, exactly what was quoted',
  needs: 'a trade that settles on a market that stood still',
  judge: ({ effects, request, plan, unmoved }) => {
    if (effects.kind === 'reverted' || !unmoved) return undefined;
    const [did, quoted, verb] =
      request.swapKind === 'exact-input'
        ? [effects.received, plan.buy.amount, 'received']
        : [effects.spent, plan.sell.amount, 'paid'];
    return passIf(did === quoted, () => ({
      expected: `${quoted} ${verb}`,
      actual: `${did}: ${signed(bpBetween(did, quoted))} bp from the quote`,
    }));
  },
};

/** Whoever calls the router next takes what stays in it. */
const nothingStays: SettlementRule<'as-returned'> = {
  ...asReturned,
  id: 'execution/nothing-stays',
  clause: '2.1 calldata',
  level: 'should',
  title: 'nothing of the trade stays in the router or its token proxy',
  needs: 'a trade that settles',
  judge: ({ effects, plan, holders }, { tolerancePpm }) => {
    if (effects.kind === 'reverted') return undefined;
    const keepers = [holders.router, ...(holders.proxy === undefined ? [] : [holders.proxy])];
    const left = keepers
      .flatMap((keeper) =>
        [NATIVE_TOKEN, ...plan.tokens].map((token) => ({
          keeper,
          token,
          amount: effects.change(token, keeper) ?? 0n,
        })),
      )
      .find(({ token, amount }) => amount > dustOf(plan, token, tolerancePpm));
    if (left === undefined) return verdictOf([]);
    const actual = `${left.amount} of ${left.token} more in ${left.keeper}`;
    return verdictOf([{ expected: 'as much in the router as before', actual }]);
  },
};

/** What may stay of a token: the part per million that conservation tolerates, of what flows of it. */
function dustOf(plan: SettledPlan['plan'], token: Address, tolerancePpm: number): bigint {
  if (tolerancePpm === 0) return 0n;
  const legs = [plan.sell, ...plan.steps.flatMap(({ to }) => to)];
  const flow = legs.reduce((sum, leg) => (leg.token === token ? sum + leg.amount : sum), 0n);
  return (flow * BigInt(Math.round(tolerancePpm))) / 1_000_000n + 2n;
}

/** Rules on what the transaction of a SwapResponse does. @see Specification 2.1 */
export const rules: readonly SettlementRule[] = [
  settles,
  outlivesAMinute,
  routerIsContract,
  gasLimitHolds,
  sellsExactly,
  touchesNoOther,
  quoteIsExact,
  nothingStays,
];
