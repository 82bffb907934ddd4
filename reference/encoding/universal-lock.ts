import { type Address, parseAddress } from '../domain/address.ts';
import { familyOf } from '../pools/families.ts';
import type { PoolKey } from '../pools/family.ts';
import type { PlanSwap } from '../routing/graph/plan.ts';
import { addressWord, bytesArrayTail, bytesTail, wordOf } from './abi.ts';
import { NotSettledError } from './encoder.ts';
import { type Command, MSG_SENDER, type SwapCommand } from './universal-commands.ts';

/** What Uniswap V4 and the Universal Router call native. */
export const NATIVE = parseAddress(`0x${'0'.repeat(40)}`);

/** What the swap sells, and what it buys, as its pool's contract calls them: native may stand for the wrapped native token. */
export function currenciesOf({ pool, tokenIn, tokenOut }: PlanSwap): readonly [Address, Address] {
  const settlement = familyOf(pool).universalRouter;
  if (settlement?.kind !== 'lock') return [tokenIn, tokenOut];
  const { currency0, currency1 } = settlement.keyOf(pool);
  const currencyOf = (token: Address) => parseAddress(token === currency1 ? currency1 : currency0);
  return [currencyOf(tokenIn), currencyOf(tokenOut)];
}

/** Stands for all that is owed of a currency, or due. */
const OPEN_DELTA = 0n;

/** One action inside the lock: its byte, and its ABI-encoded parameters. */
type Action = readonly [code: string, input: string];

/**
 * Returns `V4_SWAP` of an exact input: what is sold is paid first. Where liquidity
 * ends before all is taken, the sender receives the rest.
 *
 * @see https://github.com/Uniswap/v4-periphery/blob/main/src/V4Router.sol
 */
export function lockedExactIn(command: SwapCommand): Command {
  const { swaps, recipient, amount, limit, isPayerUser } = command;
  const [sold, bought] = endsOf(swaps);
  return inLock([
    settle(sold, amount, isPayerUser),
    ['07', swapInput(sold, swaps.map(pathKeyAfter), OPEN_DELTA, limit)],
    take(bought, recipient, OPEN_DELTA),
    take(sold, MSG_SENDER, OPEN_DELTA),
  ]);
}

/** Returns `V4_SWAP` of an exact output: what it costs is paid last. */
export function lockedExactOut(command: SwapCommand): Command {
  const { swaps, recipient, amount, limit, isPayerUser } = command;
  const [sold, bought] = endsOf(swaps);
  return inLock([
    ['09', swapInput(bought, swaps.map(pathKeyBefore), amount, limit)],
    settle(sold, OPEN_DELTA, isPayerUser),
    take(bought, recipient, amount),
  ]);
}

/** What a row of swaps sells and buys. */
export function endsOf(swaps: readonly PlanSwap[]): readonly [Address, Address] {
  const [first, last] = [swaps[0], swaps.at(-1)];
  if (first === undefined || last === undefined) return [NATIVE, NATIVE];
  return [currenciesOf(first)[0], currenciesOf(last)[1]];
}

function inLock(actions: readonly Action[]): Command {
  const codes = bytesTail(actions.map(([code]) => code).join(''));
  const inputs = bytesArrayTail(actions.map(([, input]) => input));
  return { code: '10', input: wordOf(64) + wordOf(64 + codes.length / 2) + codes + inputs };
}

/** `(address currency, uint256 amount, bool payerIsUser)` */
function settle(currency: Address, amount: bigint, isPayerUser: boolean): Action {
  return ['0b', addressWord(currency) + wordOf(amount) + wordOf(isPayerUser ? 1 : 0)];
}

/** `(address currency, address recipient, uint256 amount)` */
function take(currency: Address, recipient: Address, amount: bigint): Action {
  return ['0e', addressWord(currency) + addressWord(recipient) + wordOf(amount)];
}

/**
 * `((address currency, PathKey[] path, uint256[] minHopPriceX36, uint128 amount, uint128 limit))`: where
 * the path starts, or for exact output ends; no price is asked of a single hop.
 */
function swapInput(start: Address, path: readonly string[], amount: bigint, limit: bigint): string {
  const size = (path[0]?.length ?? 0) / 2;
  const offsets = path.map((_, at) => wordOf(path.length * 32 + at * size));
  const keys = wordOf(path.length) + offsets.join('') + path.join('');
  const prices = wordOf(0);
  const head = 5 * 32;
  const ends = wordOf(head) + wordOf(head + keys.length / 2);
  return wordOf(32) + addressWord(start) + ends + wordOf(amount) + wordOf(limit) + keys + prices;
}

/** `(address intermediateCurrency, uint24 fee, int24 tickSpacing, address hooks, bytes hookData)` */
function pathKey(currency: Address, { fee, tickSpacing }: PoolKey): string {
  const pool = wordOf(fee) + wordOf(tickSpacing) + addressWord(NATIVE);
  return addressWord(currency) + pool + wordOf(5 * 32) + bytesTail('');
}

function pathKeyAfter(swap: PlanSwap): string {
  return pathKey(currenciesOf(swap)[1], keyOf(swap));
}

function pathKeyBefore(swap: PlanSwap): string {
  return pathKey(currenciesOf(swap)[0], keyOf(swap));
}

function keyOf({ pool }: PlanSwap): PoolKey {
  const settlement = familyOf(pool).universalRouter;
  if (settlement?.kind !== 'lock') throw new NotSettledError(pool.family, 'Universal Router');
  return settlement.keyOf(pool);
}
