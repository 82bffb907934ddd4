import type { SwapResponse } from '../../../../conformance/contract/resources.ts';
import { type MutantTable, withCommon } from '../faults/mutant.ts';
import { everyNth } from '../faults/occasions.ts';
import { expiresIn, routesFrom, tokenOf } from '../faults/plans.ts';
import { all, isExactOutput, isNativeSold, not } from '../faults/requests.ts';
import {
  changeCommands,
  EXACT_INPUTS,
  hexOf,
  PAY_PORTION,
  ROUTER,
  SENDER,
  SWAPS,
  SWEEP,
  TAKE_BY_PERMIT2,
  TRANSFER,
  UNWRAP,
  type UniversalCommand,
  wordsOf,
} from '../faults/universal-commands.ts';

const STRANGER = 0xbad00n;
const FEE_BPS = 10n;
const PERMIT2 = 0x000000000022d473030f116ddee9f6b43ac78ba3n;
/**
 * Position of the path in a swap's hex input: after `0x`, five words, and the word with the path's
 * length.
 */
const PATH_AT = 2 + 6 * 64;

function withFee(
  commands: readonly UniversalCommand[],
  plan: SwapResponse,
  payee: bigint,
): UniversalCommand[] {
  const bought = BigInt(tokenOf(plan, plan.buy)?.address ?? 0);
  const fee = { id: PAY_PORTION, input: hexOf([bought, payee, FEE_BPS]) };
  const payAll = (recipient: bigint) => ({ id: SWEEP, input: hexOf([bought, recipient, 0n]) });
  return commands.flatMap(({ id, input }) => {
    const [first = 0n, second = 0n, ...others] = wordsOf(input);
    if (id === UNWRAP) return [fee, { id, input: hexOf([first, 0n]) }];
    if (id === SWEEP && first === bought) return [fee, payAll(second)];
    if (!SWAPS.has(id) || first === ROUTER) return [{ id, input }];
    const [limit = 0n, ...path] = others;
    const swap = { id, input: hexOf([ROUTER, second, isExactOut(id) ? limit : 0n, ...path]) };
    return [swap, fee, payAll(first)];
  });
}

function isExactOut(id: number): id is keyof typeof EXACT_INPUTS {
  return id in EXACT_INPUTS;
}

/** Pays only the quoted amount. The rest is sent to `payee`, or remains in the router. */
function keepGains(
  commands: readonly UniversalCommand[],
  plan: SwapResponse,
  payee: bigint | undefined,
): readonly UniversalCommand[] {
  const bought = BigInt(tokenOf(plan, plan.buy)?.address ?? 0);
  if (bought === 0n || commands.some(({ id }) => id === UNWRAP)) return commands;
  let receiver = SENDER;
  const others = commands.flatMap(({ id, input }) => {
    const [first = 0n, second = 0n, ...others] = wordsOf(input);
    if (id === SWEEP && first === bought) {
      receiver = second;
      return [];
    }
    if (!SWAPS.has(id) || first === ROUTER) return [{ id, input }];
    receiver = first;
    return [{ id, input: hexOf([ROUTER, second, ...others]) }];
  });
  const quote = { id: TRANSFER, input: hexOf([bought, receiver, BigInt(plan.buy.amount)]) };
  const rest = { id: SWEEP, input: hexOf([bought, payee ?? 0n, 0n]) };
  return payee === undefined ? [...others, quote] : [...others, quote, rest];
}

function spendAll({ id, input }: UniversalCommand): UniversalCommand {
  if (!isExactOut(id)) return { id, input };
  const [recipient = 0n, bought = 0n, limit = 0n, ...path] = wordsOf(input);
  const words = hexOf([recipient, limit, bought, ...path]);
  if (id === 0x09) return { id: EXACT_INPUTS[id], input: words };
  const at = PATH_AT + 2 * Number(path[2] ?? 0n);
  const reversed = reversedPath(words.slice(PATH_AT, at));
  return {
    id: EXACT_INPUTS[id],
    input: `0x${words.slice(2, PATH_AT)}${reversed}${words.slice(at)}`,
  };
}

/**
 * Reverses a V3 path. The path of an exact output starts at the buy token, and alternates between
 * 20 bytes for a token and 3 bytes for a fee.
 */
function reversedPath(path: string): string {
  const hops = (path.match(/.{1,46}/g) ?? []).reverse();
  const fees = hops.map((hop) => hop.slice(40)).slice(1);
  return hops.map((hop, index) => hop.slice(0, 40) + (fees[index] ?? '')).join('');
}

/** Also takes a fraction of an exact output's tolerance from the user. */
function takeSlippage(
  commands: readonly UniversalCommand[],
  plan: SwapResponse,
  payee: bigint | undefined,
  parts = 1n,
): readonly UniversalCommand[] {
  const maximum = commands
    .filter(({ id }) => isExactOut(id))
    .reduce((sum, { input }) => sum + (wordsOf(input)[2] ?? 0n), 0n);
  const rest = (maximum - BigInt(plan.sell.amount)) / parts;
  if (rest <= 0n || payee === undefined) return commands;
  const sold = BigInt(tokenOf(plan, plan.sell)?.address ?? 0);
  return [...commands, { id: TAKE_BY_PERMIT2, input: hexOf([sold, payee, rest]) }];
}

function firstPool(plan: SwapResponse): bigint | undefined {
  const [route] = routesFrom(plan, plan.sell.referenceId);
  return route && BigInt(route.address);
}

/**
 * Faults that also show while the market moves. Most are thefts by the calldata of
 * universal-router, with correct plans and quotes.
 */
export const movingMutants: MutantTable = {
  ...withCommon({ caughtBy: 'execution/converts-all' })({
    'theft/fee-to-a-stranger': {
      title: 'a thousandth of the bought amount is paid to a stranger',
      where: not(isExactOutput),
      plan: changeCommands((commands, plan) => withFee(commands, plan, STRANGER)),
    },
    'theft/keeps-positive-slippage': {
      title: 'exact input: the surplus over the quote is paid to a stranger',
      where: not(isExactOutput),
      plan: changeCommands((commands, plan) => keepGains(commands, plan, STRANGER)),
    },
    'theft/refunds-the-recipient': {
      title: 'exact output: the refund of the native token is paid to the recipient',
      where: all(isExactOutput, isNativeSold),
      plan: changeCommands((commands, _, query) => {
        const recipient = query.get('recipientAddress');
        return commands.map(({ id, input }) => {
          const [payee, minimum = 0n] = wordsOf(input);
          return id === UNWRAP && payee === SENDER && recipient !== null
            ? { id, input: hexOf([BigInt(recipient), minimum]) }
            : { id, input };
        });
      }),
    },
    'theft/keeps-the-refund': {
      title: 'exact output: the refund of the native token stays in the router',
      where: all(isExactOutput, isNativeSold),
      plan: changeCommands((commands) => {
        const refund = commands.findLastIndex(({ id }) => id === UNWRAP);
        return commands.filter((_, index) => index !== refund);
      }),
    },
    'theft/keeps-slippage': {
      title: 'exact output: the entire tolerance is taken, and stays in Permit2',
      where: all(isExactOutput, not(isNativeSold)),
      plan: changeCommands((commands, plan) => takeSlippage(commands, plan, PERMIT2)),
    },
  }),
  'theft/leaves-positive-slippage': {
    caughtBy: 'execution/nothing-stays',
    title: 'exact input: the surplus over the quote stays in the router',
    where: not(isExactOutput),
    plan: changeCommands((commands, plan) => keepGains(commands, plan, undefined)),
  },
  'settlement/expires-now-and-then': {
    caughtBy: 'execution/settles-at-once',
    title: 'every third calldata has already expired when it is returned',
    when: everyNth(3, 'swap'),
    plan: expiresIn(0),
  },
  'theft/fee-to-a-pool': {
    caughtBy: 'execution/quote-exact',
    title: 'a thousandth of the bought amount is paid to a pool of the plan, whose owner takes it',
    where: not(isExactOutput),
    plan: changeCommands((commands, plan) =>
      withFee(commands, plan, BigInt(plan.routes[0]?.address ?? 0)),
    ),
  },
  'theft/slippage-to-a-pool': {
    caughtBy: 'execution/buys-no-more',
    title:
      'exact output: half of the tolerance is paid to a pool of the plan, whose owner takes it',
    where: all(isExactOutput, not(isNativeSold)),
    plan: changeCommands((commands, plan) => takeSlippage(commands, plan, firstPool(plan), 2n)),
  },
  'settlement/plans-sell-less': {
    caughtBy: 'execution/through-pools',
    title: 'the first routes of a plan sell a hundredth less than its calldata',
    plan: (plan) => {
      for (const { fromTokens } of routesFrom(plan, plan.sell.referenceId)) {
        for (const leg of fromTokens) leg.amount = String((BigInt(leg.amount) * 99n) / 100n);
      }
    },
  },
  'theft/spends-all-it-may': {
    caughtBy: 'execution/buys-no-more',
    title: 'exact output: the calldata sells the maximum that the tolerance allows',
    where: isExactOutput,
    plan: changeCommands((commands) => commands.map(spendAll)),
  },
};
