import { ppmOf } from '../checks/conservation.ts';
import type { Log, SwapPlan, TokenAmount } from '../model/settlement.ts';
import type { Address, SwapKind } from '../model/trade-request.ts';
import { isWrapping, netOf, type Transfer, transferIn, ZERO_ADDRESS } from './transfers.ts';

/** What a plan says of one pool and token, and what the transaction moved. */
export type PoolFlow = {
  readonly pool: string;
  readonly token: Address;
  /** Whether the token goes into the pool or comes out of it. */
  readonly side: 'into' | 'out of';
  readonly planned: bigint;
  readonly moved: bigint;
};

/** Who takes part in a trade beside its pools. */
export type FlowParties = {
  /** The user, the receiver, and whom the trade passes through. */
  readonly holders: readonly Address[];
  /** Tokens that the user pays or receives as native. */
  readonly native: readonly Address[];
};

/**
 * Returns what each pool of a plan was to take and give beside what it took and
 * gave. A pool at whose address no token of its routes moved is left out: it
 * keeps its tokens in a vault. Where one contract holds many pools, what some give
 * and others take need not move; a token that is wrapped native may have
 * moved as native: what was wrapped or unwrapped, and what the user paid or
 * received so; and shares may be minted for what a pool takes, and burnt.
 * What a pool pays to a treasury of its own, out of either token, is its fee.
 */
export function flowsOfPools(
  plan: SwapPlan,
  logs: readonly Log[],
  { holders, native }: FlowParties,
): readonly PoolFlow[] {
  const transfers = logs.flatMap((log) => transferIn(log) ?? []).map(byItsToken);
  const pools = [...new Set(plan.steps.map(({ pool }) => pool))];
  const parties = new Set<string>([...holders, ...pools]);
  const moved = [netOf(transfers), netOf(withoutFees(transfers, parties))];
  const wrapped = new Set([...native, ...logs.filter(isWrapping).map(({ address }) => address)]);
  const issued = new Set(transfers.filter(isIssue).map(({ token }) => token));
  return pools.flatMap((pool) => {
    const steps = plan.steps.filter((step) => step.pool === pool);
    const took = sumByToken(steps.flatMap(({ from }) => from));
    const gave = sumByToken(steps.flatMap(({ to }) => to));
    const flows = [...new Set([...took.keys(), ...gave.keys()])].map((token): PoolFlow => {
      const planned = (took.get(token) ?? 0n) - (gave.get(token) ?? 0n);
      const changes = moved.map((net) => net.get(pool as Address)?.get(token) ?? 0n);
      return took.has(token) && planned >= 0n
        ? { pool, token, side: 'into', planned, moved: nearest(planned, changes) }
        : { pool, token, side: 'out of', planned: -planned, moved: -nearest(planned, changes) };
    });
    if (flows.every((flow) => flow.moved === 0n)) return [];
    const mayBeNative = ({ token, planned, moved }: PoolFlow) =>
      wrapped.has(token) && moved < planned && (moved === 0n || steps.length > 1);
    const mayBeShares = ({ token, moved }: PoolFlow) => moved === 0n && issued.has(token);
    return flows.filter((flow) => !mayBeNative(flow) && !mayBeShares(flow));
  });
}

/** What is minted comes from the token itself, and what is burnt goes to it: a pool may be the token of its shares. */
function byItsToken(transfer: Transfer): Transfer {
  const { token, from, to } = transfer;
  return {
    ...transfer,
    from: from === ZERO_ADDRESS ? token : from,
    to: to === ZERO_ADDRESS ? token : to,
  };
}

/** Whether a transfer mints or burns. */
function isIssue({ token, from, to }: Transfer): boolean {
  return from === token || to === token;
}

/** Leaves out what those keep who take no other part in a trade, as a treasury does. */
function withoutFees(
  transfers: readonly Transfer[],
  parties: ReadonlySet<string>,
): readonly Transfer[] {
  const left = new Map(
    [...netOf(transfers)]
      .filter(([account, net]) => !parties.has(account) && [...net.values()].every((n) => n >= 0n))
      .map(([account, net]) => [account, new Map(net)]),
  );
  return transfers.map((transfer) => {
    const { token, from, to, amount } = transfer;
    const kept = parties.has(from) ? (left.get(to)?.get(token) ?? 0n) : 0n;
    const fee = kept < amount ? kept : amount;
    left.get(to)?.set(token, kept - fee);
    return { ...transfer, amount: amount - fee };
  });
}

function nearest(planned: bigint, [first = 0n, ...others]: readonly bigint[]): bigint {
  const distance = (to: bigint) => (to > planned ? to - planned : planned - to);
  return others.reduce((best, each) => (distance(each) < distance(best) ? each : best), first);
}

function sumByToken(legs: readonly TokenAmount[]): ReadonlyMap<Address, bigint> {
  const sums = new Map<Address, bigint>();
  for (const { token, amount } of legs) sums.set(token, (sums.get(token) ?? 0n) + amount);
  return sums;
}

/**
 * Returns whether a pool did what the plan says of it. `tolerancePpm` is of the
 * amount; unless it is 0, 2 base units are tolerated beside it.
 *
 * Exact input is exact. With exact output a pool may give, and the next take,
 * a little more: a pool that is paid whole base units gives all that these
 * buy. One base unit less would have been too little, so that of `n` that go
 * in, what comes out is below `n / (n - 1)` of what was planned.
 */
export function isTrueFlow(
  { planned, moved }: PoolFlow,
  { steps }: SwapPlan,
  swapKind: SwapKind,
  tolerancePpm: number,
): boolean {
  const dust = tolerancePpm === 0 ? 0n : 2n;
  const tolerated = ppmOf(planned, tolerancePpm) + dust;
  if (moved < planned - tolerated) return false;
  if (moved <= planned + tolerated) return true;
  return swapKind === 'exact-output' && isRoundedExcess(moved - planned, planned, steps);
}

/**
 * Returns whether an exact output may give so much more than planned, since
 * each pool of the plan is paid whole base units.
 */
export function isRoundedExcess(more: bigint, planned: bigint, steps: SwapPlan['steps']): boolean {
  // By logarithms: n / (n - 1) itself is 1 to a float, where n is large.
  const excess = steps
    .flatMap(({ from }) => from)
    .reduce((sum, { amount }) => sum + Math.log1p(1 / (Number(amount) - 1)), 0);
  return Number(more) <= Number(planned) * Math.expm1(excess) + 2;
}
