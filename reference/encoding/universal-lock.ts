import { concatHex } from 'viem';
import { type Address, parseAddress } from '../planner/domain/address.ts';
import type { PlanSwap } from '../planner/graph/plan.ts';
import { familyOf } from '../planner/pools/families.ts';
import { NotSettledError } from './encoder.ts';
import { ACTIONS, COMMANDS, type Command, commandOf } from './router-abi.ts';
import { MSG_SENDER, type SwapCommand } from './universal-commands.ts';

/** The native token in Uniswap V4 and the Universal Router. */
export const NATIVE = parseAddress(`0x${'0'.repeat(40)}`);

/**
 * Returns the currencies that a swap sells and buys, from the point of view of the pool's contract.
 * If the pool trades the native token, it replaces the wrapped token.
 */
export function currenciesOf({ pool, tokenIn, tokenOut }: PlanSwap): readonly [Address, Address] {
  const settlement = familyOf(pool).universalRouter;
  if (settlement?.kind !== 'lock') return [tokenIn, tokenOut];
  const { currency0, currency1 } = settlement.keyOf(pool);
  const currencyOf = (token: Address) => parseAddress(token === currency1 ? currency1 : currency0);
  return [currencyOf(tokenIn), currencyOf(tokenOut)];
}

/**
 * Alias of the whole amount that the router owes the manager, or that the manager owes the router.
 */
const OPEN_DELTA = 0n;

/**
 * Returns a `V4_SWAP` command that sells an exact input. The input is paid first. If liquidity ends
 * before the whole input is sold, the sender receives the rest.
 * @see https://github.com/Uniswap/v4-periphery/blob/main/src/V4Router.sol
 */
export function lockedExactIn(command: SwapCommand): Command {
  const { swaps, recipient, amount, limit, isPayerUser } = command;
  const [sold, bought] = endsOf(swaps);
  return inLock([
    commandOf(ACTIONS.SETTLE, [sold, amount, isPayerUser]),
    commandOf(ACTIONS.SWAP_EXACT_IN, [
      {
        currencyIn: sold,
        path: swaps.map((swap) => hopTo(currenciesOf(swap)[1], swap)),
        minHopPriceX36: [],
        amountIn: OPEN_DELTA,
        minimum: limit,
      },
    ]),
    commandOf(ACTIONS.TAKE, [bought, recipient, OPEN_DELTA]),
    commandOf(ACTIONS.TAKE, [sold, MSG_SENDER, OPEN_DELTA]),
  ]);
}

/** Returns a `V4_SWAP` command that buys an exact output. The cost is paid last. */
export function lockedExactOut(command: SwapCommand): Command {
  const { swaps, recipient, amount, limit, isPayerUser } = command;
  const [sold, bought] = endsOf(swaps);
  return inLock([
    commandOf(ACTIONS.SWAP_EXACT_OUT, [
      {
        currencyOut: bought,
        path: swaps.map((swap) => hopTo(currenciesOf(swap)[0], swap)),
        minHopPriceX36: [],
        amountOut: amount,
        maximum: limit,
      },
    ]),
    commandOf(ACTIONS.SETTLE, [sold, OPEN_DELTA, isPayerUser]),
    commandOf(ACTIONS.TAKE, [bought, recipient, amount]),
  ]);
}

/** Returns the currencies that consecutive swaps sell and buy. */
export function endsOf(swaps: readonly PlanSwap[]): readonly [Address, Address] {
  const [first, last] = [swaps[0], swaps.at(-1)];
  if (first === undefined || last === undefined) return [NATIVE, NATIVE];
  return [currenciesOf(first)[0], currenciesOf(last)[1]];
}

function inLock(actions: readonly Command[]): Command {
  const codes = concatHex(actions.map(({ code }) => code));
  return commandOf(COMMANDS.V4_SWAP, [codes, actions.map(({ input }) => input)]);
}

function hopTo(currency: Address, { pool }: PlanSwap) {
  const settlement = familyOf(pool).universalRouter;
  if (settlement?.kind !== 'lock') throw new NotSettledError(pool.family, 'Universal Router');
  const { fee, tickSpacing } = settlement.keyOf(pool);
  return { currency, fee, tickSpacing, hooks: NATIVE, hookData: '0x' } as const;
}
