import { ppmOf } from '../checks/conservation.ts';
import type { PooledPlan, StepYield, SwapStep, TokenAmount } from '../model/settlement.ts';
import type { TradeRequest } from '../model/trade-request.ts';

/** A step whose pool takes less than planned, or does not pay the planned amount. */
export type Mismatch = {
  readonly step: SwapStep;
  readonly side: 'taken' | 'paid';
  readonly planned: TokenAmount;
  /** Amount taken or paid, in base units; undefined if the pool fails for `reason`. */
  readonly actual: bigint | undefined;
  readonly reason?: string;
};

/**
 * If the market moved since the quote, an amount may fall short of the plan by at most the planned
 * amount divided by this number.
 */
const DRIFT_DIVISOR = 200n;

type Planned = Pick<PooledPlan, 'pools' | 'frozen'> & {
  readonly request: Pick<TradeRequest, 'swapKind'>;
};

/** A quote may round down by at most the planned amount divided by this. */
const MARGIN_DIVISOR = 10_000n;

/**
 * Returns the first step of a plan whose pool takes less than planned, or does not pay the planned
 * amount. Later steps are not examined, since they may sell less only because of this one. A pool
 * that is paid a different amount than planned must pay in proportion. For an exact output, a pool
 * may pay more, since it receives whole base units.
 */
export function findMismatch(
  { request, pools, frozen }: Planned,
  tolerancePpm: number,
): Mismatch | undefined {
  if (pools.kind === 'unknown') return undefined;
  if (pools.kind === 'failed') {
    const { step, reason } = pools;
    return { step, side: 'paid', planned: sumOf(step.to), actual: undefined, reason };
  }
  for (const { step, from, to, sold, received } of sumByPoolAndDirection(pools.yields)) {
    const driftOf = (amount: bigint) => (frozen ? 0n : amount / DRIFT_DIVISOR);
    const toleratedOf = (amount: bigint) => dustOf(amount, tolerancePpm) + driftOf(amount);
    if (sold < from.amount - toleratedOf(from.amount)) {
      return { step, side: 'taken', planned: from, actual: sold };
    }
    const share = from.amount === 0n ? to.amount : (to.amount * sold) / from.amount;
    const [due, most] = share < to.amount ? [share, to.amount] : [to.amount, share];
    const isMore = received > most + most / MARGIN_DIVISOR + 2n + toleratedOf(most);
    if (received < due - toleratedOf(due) || (isMore && request.swapKind === 'exact-input')) {
      return { step, side: 'paid', planned: to, actual: received };
    }
  }
  return undefined;
}

/** Returns whether a plan's pools pay the quoted amounts. Returns true if that is unknown. */
export function isPaidByPools(item: Planned): boolean {
  return findMismatch(item, 0) === undefined;
}

type PoolYield = StepYield & { readonly from: TokenAmount; readonly to: TokenAmount };

/**
 * If two steps use one pool, the first step moves the price, so the second receives less than its
 * share. Only the sum of both can be judged.
 */
function sumByPoolAndDirection(yields: readonly StepYield[]): Iterable<PoolYield> {
  const sums = new Map<string, PoolYield>();
  for (const each of yields) {
    const [from, to] = [sumOf(each.step.from), sumOf(each.step.to)];
    const key = [each.step.pool, from.token, to.token].join(' ');
    const sum = sums.get(key);
    sums.set(key, {
      step: sum?.step ?? each.step,
      from: plus(from, sum?.from),
      to: plus(to, sum?.to),
      sold: each.sold + (sum?.sold ?? 0n),
      received: each.received + (sum?.received ?? 0n),
    });
  }
  return sums.values();
}

function plus({ token, amount }: TokenAmount, other: TokenAmount | undefined): TokenAmount {
  return { token, amount: amount + (other?.amount ?? 0n) };
}

function dustOf(amount: bigint, tolerancePpm: number): bigint {
  return tolerancePpm === 0 ? 0n : ppmOf(amount, tolerancePpm) + 2n;
}

function sumOf(legs: readonly TokenAmount[]): TokenAmount {
  const token = legs[0]?.token ?? '0x';
  return { token, amount: legs.reduce((sum, { amount }) => sum + amount, 0n) };
}
