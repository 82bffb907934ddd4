import type { Address } from '../domain/address.ts';
import { familyOf } from '../pools/families.ts';
import type { PlanSwap, RoutingPlan } from '../routing/graph/plan.ts';
import { bytesArrayTail, bytesTail, wordOf } from './abi.ts';
import type { RouterEncoder, SettlementOptions } from './encoder.ts';
import { gasLimitOf, swapGas, transactionGas } from './gas.ts';
import { pathsOfPlan } from './plan-paths.ts';
import { leastBought, mostSold } from './slippage.ts';
import {
  CONTRACT_BALANCE,
  type Command,
  MSG_SENDER,
  ROUTER,
  swapExactIn,
  swapExactOut,
  sweepAll,
  unwrapAll,
  wrapAll,
} from './universal-commands.ts';

/** Entering the router and Permit2, and the recipient's new balance; fitted as `swapGas` is. */
const TRADE_GAS = 38_000;

/** One command: its payment and its reads of balances. */
const COMMAND_GAS = 19_000;

/** As many as a transaction of at most 2^24 of gas has room for, with a command each. */
const MAX_SWAPS = 90;

/**
 * Encodes plans for Uniswap's Universal Router 2.1.0. The user approves the sell
 * token to Permit2, and on Permit2 the router.
 *
 * Exact input: every path runs to its end before the next, since intermediate
 * tokens are passed on as the router's whole balance. The least that all paths
 * together must yield is rounded up, for the recipient.
 *
 * Exact output: every path buys its part exactly, and sells at most its part
 * raised by the slippage tolerance, rounded down, for the sender. A pair is paid
 * what `getAmountIn` says and gives `getAmountOut` of that, so a little more than
 * asked may arrive: less than one base unit of input buys.
 *
 * Native sell: the transaction carries `sell.amount` as its value; for exact
 * output up to `sell.amount` raised by the slippage tolerance, rounded down, and
 * what is not needed comes back. Nothing stays in the router.
 *
 * @throws {NotPathsError} if the plan splits or joins an intermediate token
 * @see https://github.com/Uniswap/universal-router/blob/main/contracts/base/Dispatcher.sol
 */
export const universalRouter: RouterEncoder = {
  topology: 'paths',
  maxSwaps: MAX_SWAPS,
  swapGas: { first: COMMAND_GAS, later: 0 },
  settles: (family) => familyOf({ family }).universalRouter !== undefined,
  encode: (plan, options) => {
    const paths = pathsOfPlan(plan);
    const commands =
      plan.swapKind === 'exact-input'
        ? sellCommands(plan, paths, options)
        : buyCommands(plan, paths, options);
    const calldata = executeCalldata(commands, options.deadline);
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
  const least = leastBought(plan.buyAmount, options.slippageBps);
  // One path pays the recipient itself, and checks the least itself.
  const isDirect = paths.length === 1 && !options.buyNative;
  const swaps = paths.flatMap((path) => {
    const runs = runsOfOneFamily(path);
    return runs.map((run, index) => {
      const isFirst = index === 0;
      const isLast = index === runs.length - 1;
      return swapExactIn({
        swaps: run,
        recipient: isDirect && isLast ? recipient : ROUTER,
        amount: isFirst ? (run[0]?.amountIn ?? 0n) : CONTRACT_BALANCE,
        limit: isDirect && isLast ? least : 0n,
        isPayerUser: isFirst && !options.sellNative,
      });
    });
  });
  const payout = options.buyNative
    ? [unwrapAll(recipient, least)]
    : isDirect
      ? []
      : [sweepAll(plan.buyToken, recipient, least)];
  const start = options.sellNative ? [wrapAll()] : [];
  return [...start, ...swaps, ...payout, ...leftovers(plan, options)];
}

/**
 * What comes back to the sender if the market moved so far that a pool's
 * liquidity ends within a swap: a V3 pool then takes less than it is offered.
 */
function leftovers(
  { swaps, sellToken }: RoutingPlan,
  { sellNative, wrappedNative }: SettlementOptions,
) {
  const partial = swaps.filter(({ pool }) => familyOf(pool).universalRouter?.mayTakeLess);
  const tokens = new Set<Address>(partial.map(({ tokenIn }) => tokenIn));
  tokens.delete(sellToken);
  const sweeps = [...tokens].map((token) => sweepAll(token, MSG_SENDER, 0n));
  const isNativeLeft = sellNative && partial.some(({ tokenIn }) => tokenIn === wrappedNative);
  return isNativeLeft ? [...sweeps, unwrapAll(MSG_SENDER, 0n)] : sweeps;
}

function buyCommands(
  plan: RoutingPlan,
  paths: readonly PlanSwap[][],
  options: SettlementOptions,
): Command[] {
  const recipient = options.recipient ?? MSG_SENDER;
  const swaps = paths.map((path) =>
    swapExactOut({
      swaps: path,
      recipient: options.buyNative ? ROUTER : recipient,
      amount: path.at(-1)?.amountOut ?? 0n,
      limit: mostSold(path[0]?.amountIn ?? 0n, options.slippageBps),
      isPayerUser: !options.sellNative,
    }),
  );
  return [
    ...(options.sellNative ? [wrapAll()] : []),
    ...swaps,
    ...(options.buyNative ? [unwrapAll(recipient, plan.buyAmount)] : []),
    ...(options.sellNative ? [unwrapAll(MSG_SENDER, 0n)] : []),
  ];
}

/** Cuts a path where the pool family changes: one command swaps through one family. */
function runsOfOneFamily(path: readonly PlanSwap[]): PlanSwap[][] {
  const runs: PlanSwap[][] = [];
  for (const swap of path) {
    const run = runs.at(-1);
    if (run?.[0]?.pool.family === swap.pool.family) run.push(swap);
    else runs.push([swap]);
  }
  return runs;
}

/** Selector of `execute(bytes commands, bytes[] inputs, uint256 deadline)`. */
const EXECUTE = '0x3593564c';

function executeCalldata(commands: readonly Command[], deadline: bigint): `0x${string}` {
  const codes = bytesTail(commands.map(({ code }) => code).join(''));
  const inputs = bytesArrayTail(commands.map(({ input }) => input));
  const head = wordOf(3 * 32) + wordOf(3 * 32 + codes.length / 2) + wordOf(deadline);
  return `${EXECUTE}${head}${codes}${inputs}`;
}
