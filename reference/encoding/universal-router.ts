import { concatHex } from 'viem';
import type { Address } from '../planner/domain/address.ts';
import type { PlanSwap, RoutingPlan } from '../planner/graph/plan.ts';
import { familyOf } from '../planner/pools/families.ts';
import { PlanTooLargeError, type RouterEncoder, type SettlementOptions } from './encoder.ts';
import { gasLimitOf, swapGas, transactionGas } from './gas.ts';
import { NotPathsError, pathsOfPlan } from './plan-paths.ts';
import { COMMANDS, type Command, commandOf, encodeCall } from './router-abi.ts';
import { maxSoldFor, minBoughtFor } from './slippage.ts';
import {
  CONTRACT_BALANCE,
  MSG_SENDER,
  ROUTER,
  swapAlong,
  sweepAll,
  unwrapAll,
  wrap,
} from './universal-commands.ts';
import { currenciesOf, endsOf, lockedExactIn, lockedExactOut, NATIVE } from './universal-lock.ts';

/** Gas of the router, Permit2 and the recipient's new balance; fitted like `swapGas`. */
const TRADE_GAS = 38_000;

/** Permit2 moves amounts of 160 bits. */
const MAX_PULLED = (1n << 160n) - 1n;

/** Gas of one command with its payment and balance reads. */
const COMMAND_GAS = 19_000;

/**
 * Maximum number of swaps in a plan. If each swap needs its own command, more swaps may exceed the
 * limit of 2^24 gas.
 */
const MAX_COMMAND_SWAPS = 90;

/**
 * Encodes plans for Uniswap's Universal Router 2.1.0. The user approves Permit2 on the sell token,
 * and the router on Permit2.
 *
 * Exact input: each path is completed before the next, since the router passes on its whole balance
 * of an intermediate token. The minimum output of all paths together is rounded up in favor of the
 * recipient.
 *
 * Exact output: each path buys exactly its part of the output, and sells at most its part of the
 * input plus the slippage tolerance, rounded down in favor of the sender. A pair is paid
 * `getAmountIn` of the output, and pays `getAmountOut` of that input. So the recipient may also
 * receive a surplus that is worth less than one base unit of input.
 *
 * Payments to and from a Uniswap V4 pool happen within the manager's lock. If the pool trades the
 * native token, the router unwraps the input and wraps the output. With exact output, a path cannot
 * start at such a pool, since the router would have to unwrap the cost before it is known. Nor can
 * such a path change from the native token to its wrapped token.
 *
 * If the native token is sold, the transaction carries `sell.amount`. With exact output, it may
 * carry up to `sell.amount` plus the slippage tolerance, rounded down, and the router returns the
 * rest. The router retains nothing.
 *
 * @throws {PlanTooLargeError} if the plan sells 2^160 base units or more
 * @throws {NotPathsError} if the plan splits or joins an intermediate token, or a path of an exact
 * output is of several kinds
 * @see https://github.com/Uniswap/universal-router/blob/main/contracts/base/Dispatcher.sol
 */
export const universalRouter: RouterEncoder = {
  topology: 'paths',
  maxSwaps: MAX_COMMAND_SWAPS,
  swapGas: { first: COMMAND_GAS, later: 0 },
  settles: (family) => familyOf({ family }).universalRouter !== undefined,
  encode: (plan, options) => {
    if (plan.sellAmount > MAX_PULLED) {
      throw new PlanTooLargeError(`a sale of ${plan.sellAmount}`, 'less than 2^160');
    }
    const paths = pathsOfPlan(plan);
    const commands =
      plan.swapKind === 'exact-input'
        ? sellCommands(plan, paths, options)
        : buyCommands(paths, options);
    const calldata = encodeCall('execute', [
      concatHex(commands.map(({ code }) => code)),
      commands.map(({ input }) => input),
      options.deadline,
    ]);
    const gas =
      transactionGas(calldata) +
      TRADE_GAS +
      commands.length * COMMAND_GAS +
      plan.swaps.reduce((sum, swap) => sum + swapGas(swap, options.slippageBps), 0);
    return { calldata, gasLimit: gasLimitOf(gas) };
  },
};

function sellCommands(
  plan: RoutingPlan,
  paths: readonly PlanSwap[][],
  options: SettlementOptions,
): Command[] {
  const recipient = options.recipient ?? MSG_SENDER;
  const minimum = minBoughtFor(plan.buyAmount, options.slippageBps);
  const bought = paths.map((path) => endsOf(path)[1]);
  const paid = options.buyNative ? NATIVE : plan.buyToken;
  // A single path pays the recipient and checks the minimum itself.
  const isDirect = paths.length === 1 && (!options.buyNative || bought[0] === NATIVE);
  const swaps = paths.flatMap((path) => {
    const runs = runsOfOneKind(path);
    return runs.flatMap((run, index) => {
      const isLast = index === runs.length - 1;
      const [sold, gained] = endsOf(run);
      const isPayerUser = index === 0 && !options.sellNative && sold !== NATIVE;
      const wraps = gained === NATIVE && !(isLast && options.buyNative);
      const receiver = isDirect && isLast ? recipient : ROUTER;
      const swap = {
        swaps: run,
        recipient: wraps ? ROUTER : receiver,
        amount: index === 0 ? (run[0]?.amountIn ?? 0n) : CONTRACT_BALANCE,
        limit: isDirect && isLast ? minimum : 0n,
        isPayerUser,
      };
      return [
        ...(sold === NATIVE ? unwrapBefore(run, index, options) : []),
        isLocked(run) ? lockedExactIn(swap) : swapAlong('exact-input', swap),
        ...(wraps ? [wrap(receiver)] : []),
      ];
    });
  });
  const payout = isDirect
    ? []
    : paid !== NATIVE
      ? [sweepAll(plan.buyToken, recipient, minimum)]
      : bought.includes(NATIVE)
        ? [unwrapAll(ROUTER, 0n), sweepAll(NATIVE, recipient, minimum)]
        : [unwrapAll(recipient, minimum)];
  return [...wrapForPaths(paths, options), ...swaps, ...payout, ...leftovers(plan, options)];
}

function wrapForPaths(paths: readonly PlanSwap[][], { sellNative }: SettlementOptions): Command[] {
  if (!sellNative) return [];
  const wrapped = paths.filter((path) => endsOf(path)[0] !== NATIVE);
  if (wrapped.length === paths.length) return [wrap(ROUTER)];
  const amount = wrapped.reduce((sum, path) => sum + (path[0]?.amountIn ?? 0n), 0n);
  return amount === 0n ? [] : [wrap(ROUTER, amount)];
}

/**
 * Returns commands that unwrap the router's whole balance. At that point, the router holds no
 * wrapped native tokens from other paths.
 */
function unwrapBefore(
  [first]: readonly PlanSwap[],
  index: number,
  { sellNative }: SettlementOptions,
): Command[] {
  if (first === undefined || (index === 0 && sellNative)) return [];
  const unwrap = unwrapAll(ROUTER, 0n);
  if (index > 0) return [unwrap];
  const { tokenIn, amountIn } = first;
  return [commandOf(COMMANDS.PERMIT2_TRANSFER_FROM, [tokenIn, ROUTER, amountIn]), unwrap];
}

/**
 * Returns commands that pay leftovers to the sender. A V3 pool takes less than the offered amount
 * if the market has moved so far that the pool's liquidity ends within the swap.
 */
function leftovers(
  { swaps, sellToken }: RoutingPlan,
  { sellNative, wrappedNative }: SettlementOptions,
) {
  const partial = swaps.filter(({ pool }) => {
    const settlement = familyOf(pool).universalRouter;
    return settlement?.kind === 'path' && settlement.mayTakeLess;
  });
  const tokens = new Set<Address>(partial.map(({ tokenIn }) => tokenIn));
  tokens.delete(sellToken);
  const sweeps = [...tokens].map((token) => sweepAll(token, MSG_SENDER, 0n));
  const isNativeLeft = sellNative && partial.some(({ tokenIn }) => tokenIn === wrappedNative);
  return isNativeLeft ? [...sweeps, unwrapAll(MSG_SENDER, 0n)] : sweeps;
}

function buyCommands(paths: readonly PlanSwap[][], options: SettlementOptions): Command[] {
  const recipient = options.recipient ?? MSG_SENDER;
  const amountOf = (path: readonly PlanSwap[]) => path.at(-1)?.amountOut ?? 0n;
  const swaps = paths.map((path) => {
    const [sold, bought] = endsOf(path);
    const [first] = path;
    if (first && (runsOfOneKind(path).length > 1 || sold === NATIVE))
      throw new NotPathsError(first);
    const isFinal = (bought === NATIVE) === options.buyNative;
    const swap = {
      swaps: path,
      recipient: isFinal ? recipient : ROUTER,
      amount: amountOf(path),
      limit: maxSoldFor(first?.amountIn ?? 0n, options.slippageBps),
      isPayerUser: !options.sellNative,
    };
    return isLocked(path) ? lockedExactOut(swap) : swapAlong('exact-output', swap);
  });
  const ofNative = paths.filter((path) => endsOf(path)[1] === NATIVE);
  const others = paths.filter((path) => !ofNative.includes(path));
  const minimum = others.reduce((sum, path) => sum + amountOf(path), 0n);
  return [
    ...(options.sellNative ? [wrap(ROUTER)] : []),
    ...swaps,
    ...(options.buyNative && others.length > 0 ? [unwrapAll(recipient, minimum)] : []),
    ...(!options.buyNative && ofNative.length > 0 ? [wrap(recipient)] : []),
    ...(options.sellNative ? [unwrapAll(MSG_SENDER, 0n)] : []),
  ];
}

/**
 * Splits a path into runs of swaps that fit into one command each. A run ends where the pool family
 * changes, or where the path changes between the native token and its wrapped token.
 */
function runsOfOneKind(path: readonly PlanSwap[]): PlanSwap[][] {
  const runs: PlanSwap[][] = [];
  for (const swap of path) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const joins =
      last?.pool.family === swap.pool.family && currenciesOf(last)[1] === currenciesOf(swap)[0];
    if (run && joins) run.push(swap);
    else runs.push([swap]);
  }
  return runs;
}

function isLocked([first]: readonly PlanSwap[]): boolean {
  return first !== undefined && familyOf(first.pool).universalRouter?.kind === 'lock';
}
