import {
  concatHex,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  prepareEncodeFunctionData,
} from 'viem';
import { isNative } from '../../contract/names.ts';
import type { Call } from '../../model/scenario.ts';
import {
  NATIVE_TOKEN,
  type PoolYields,
  type StepYield,
  type SwapPlan,
  type SwapStep,
  type TokenAmount,
} from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { bytecodeOf } from '../node/bytecode.ts';
import { type Impossible, impossible } from './impossible.ts';
import type { Provision } from './provision.ts';
import { readAddress } from './read-swap-plan.ts';
import { describeRevert } from './revert.ts';

const ABI = parseAbi([
  'struct Swap { address pool; address from; address to; uint256 amount; bool takesRest; }',
  'struct Swapped { uint256 sold; uint256 received; }',
  'function trade(Swap[] swaps, uint256 millionths) payable returns (Swapped[])',
  'function move(Swap[] swaps, uint256 millionths) payable',
  'error UnknownPool(uint256 index)',
  'error SwapFailed(uint256 index, bytes reason)',
  'error NotPaid(address token)',
]);

/* Selectors are hashed only once, because each call needs one. */
const TRADE = prepareEncodeFunctionData({ abi: ABI, functionName: 'trade' });
const MOVE = prepareEncodeFunctionData({ abi: ABI, functionName: 'move' });
const CODE = bytecodeOf('pool-trader');

/**
 * Returns a provision that makes an account a trader, by setting its code and its native balance.
 * The caller must give it tokens separately. The code ends with the account's address, and the
 * balance depends on it, so that no contract recognizes a trader.
 */
export function traderAt(account: Address): Provision {
  const balance = (1n << 128n) | (BigInt(account) >> 32n);
  return { overrides: { [account]: { code: concatHex([CODE, account]), balance } }, before: [] };
}

/** All of an amount, in millionths. */
export const MILLION = 1_000_000n;

/**
 * A swap, as the contract reads it. The zero address represents the native token. Its pool is the
 * wrapped token's contract.
 */
export type PoolSwap = {
  readonly pool: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
  readonly takesRest: boolean;
};

/** A plan in the form of swaps that the trader makes. */
export type PoolTrade = {
  readonly swaps: readonly PoolSwap[];
  /** The plan's step for each swap; undefined for a swap that only wraps or unwraps. */
  readonly steps: readonly (SwapStep | undefined)[];
  /** Token and amount that the trader must be given; undefined if it needs only native tokens. */
  readonly needs: TokenAmount | undefined;
  /** The bought token; zero represents the native token. */
  readonly bought: Address;
};

/** Addresses of a chain's native token, and the sides of a plan on which it is traded. */
export type NativeSides = {
  readonly wrappedNative: Address | undefined;
  /** ERC-20 contract of the native token, on chains that have one. */
  readonly nativeToken: Address | undefined;
  readonly sellNative?: boolean | undefined;
  readonly buyNative?: boolean | undefined;
};

/**
 * Returns the swaps with which the trader settles a plan as exact input, or the reason why it
 * cannot. Each swap sells its planned amount. The last swap of a token sells everything that is
 * left.
 */
export function poolTradeOf(plan: SwapPlan, sides: NativeSides): PoolTrade | Impossible {
  const { wrappedNative, nativeToken, sellNative = false, buyNative = false } = sides;
  const ordered = inTopologicalOrder(plan);
  if (ordered === undefined) return impossible('its swaps form a cycle');
  // Pools trade the native token in its wrapped form.
  const asErc20 = (token: Address) => (isNative(token) ? (wrappedNative ?? token) : token);
  const [sold, bought] = [asErc20(plan.sell.token), asErc20(plan.buy.token)];
  const swaps: PoolSwap[] = [];
  const steps: (SwapStep | undefined)[] = [];
  const isWrapped = sold === wrappedNative && sold !== nativeToken;
  if (isWrapped) {
    swaps.push(wrap(sold, NATIVE_TOKEN, sold, plan.sell.amount));
    steps.push(undefined);
  } else if (sellNative && sold !== nativeToken)
    return impossible('it does not sell the wrapped native token');
  for (const step of ordered) {
    const [from, to] = [sumOf(step.from), sumOf(step.to)];
    const pool = readAddress(step.pool);
    if (from === undefined || to === undefined) {
      return impossible(`a step through ${JSON.stringify(step.source)} has more than two tokens`);
    }
    if (pool === undefined) {
      return impossible(
        `the pool ${JSON.stringify(step.pool)} of ${JSON.stringify(step.source)} has no address`,
      );
    }
    const swap = { pool, from: asErc20(from.token), to: asErc20(to.token), amount: from.amount };
    // Such a step only wraps or unwraps the native token.
    if (swap.from === swap.to) continue;
    swaps.push({ ...swap, takesRest: false });
    steps.push(step);
  }
  if (buyNative && bought === wrappedNative && bought !== nativeToken) {
    swaps.push(wrap(bought, bought, NATIVE_TOKEN, 0n));
    steps.push(undefined);
  }
  const withRest = swaps.map((swap, index) => {
    const isLast = !swaps.slice(index + 1).some(({ from }) => from === swap.from);
    const isMade = swap.from !== NATIVE_TOKEN && (swap.from !== sold || swap.to === NATIVE_TOKEN);
    return { ...swap, takesRest: isLast && isMade };
  });
  const needs = isWrapped ? undefined : { token: sold, amount: plan.sell.amount };
  return {
    swaps: withRest,
    steps,
    needs,
    bought: swaps.at(-1)?.to === NATIVE_TOKEN ? NATIVE_TOKEN : bought,
  };
}

const wrap = (pool: Address, from: Address, to: Address, amount: bigint): PoolSwap => ({
  pool,
  from,
  to,
  amount,
  takesRest: false,
});

function sumOf(legs: readonly TokenAmount[]): TokenAmount | undefined {
  const [first] = legs;
  if (first === undefined || legs.some(({ token }) => token !== first.token)) return undefined;
  return { token: first.token, amount: legs.reduce((sum, { amount }) => sum + amount, 0n) };
}

function inTopologicalOrder({ steps }: SwapPlan): readonly SwapStep[] | undefined {
  const ordered: SwapStep[] = [];
  let waiting = steps;
  while (waiting.length > 0) {
    const pending = new Set(waiting.flatMap(({ to }) => to.map(({ token }) => token)));
    const ready = waiting.filter(({ from }) => !from.some(({ token }) => pending.has(token)));
    if (ready.length === 0) return undefined;
    ordered.push(...ready);
    waiting = waiting.filter((step) => !ready.includes(step));
  }
  return ordered;
}

/** The account that sends a call to a trader, and the trader. */
export type TraderCall = Pick<Call, 'from' | 'to'>;

/** Returns the call with which a trader sells the given millionths of a plan. */
export function tradeCall({ swaps }: PoolTrade, millionths: bigint, accounts: TraderCall): Call {
  const data = encodeFunctionData({ ...TRADE, args: [swaps, millionths] });
  return { ...accounts, value: 0n, data };
}

/**
 * Returns the call with which a trader sells the given millionths of a trade. The call skips pools
 * with which the trader cannot trade.
 */
export function moveCall({ swaps }: PoolTrade, millionths: bigint, accounts: TraderCall): Call {
  const data = encodeFunctionData({ ...MOVE, args: [swaps, millionths] });
  return { ...accounts, value: 0n, data };
}

/** Decodes the result of `tradeCall`. */
export function readYields({ steps }: PoolTrade, returned: Hex): readonly StepYield[] {
  const done = decodeFunctionResult({ abi: ABI, functionName: 'trade', data: returned });
  return done.flatMap((each, index) => {
    const step = steps[index];
    return step === undefined ? [] : [{ step, ...each }];
  });
}

/** Decodes the revert data of `tradeCall`. */
export function readFailure({ steps }: PoolTrade, data: Hex | undefined): PoolYields {
  const error = decoded(data);
  const step = error?.errorName === 'NotPaid' ? undefined : steps[Number(error?.args[0] ?? -1)];
  if (error === undefined || step === undefined) {
    const reason = `our own trade with its pools ${describeRevert(data ?? '0x')}`;
    return { kind: 'unknown', reason };
  }
  const name = `the pool ${step.pool} of ${JSON.stringify(step.source)}`;
  if (error.errorName !== 'SwapFailed') {
    return { kind: 'unknown', step, reason: `${name} is neither V2-like nor V3-like` };
  }
  const why = decoded(error.args[1]);
  return why?.errorName === 'NotPaid'
    ? {
        kind: 'unknown',
        reason: `our trader cannot pay the token ${why.args[0]} to ${step.pool}`,
      }
    : { kind: 'failed', step, reason: `${name} ${describeRevert(error.args[1])}` };
}

function decoded(data: Hex | undefined) {
  try {
    return data === undefined ? undefined : decodeErrorResult({ abi: ABI, data });
  } catch {
    // A pool or a token returned the error.
    return undefined;
  }
}
