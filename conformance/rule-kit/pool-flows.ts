import { ppmOf } from '../checks/conservation.ts';
import type { Payment } from '../model/scenario.ts';
import { NATIVE_TOKEN, type SwapPlan, type TokenAmount } from '../model/settlement.ts';
import type { Address, SwapKind } from '../model/trade-request.ts';
import { netOf, type Transfer, ZERO_ADDRESS } from './transfers.ts';

/** Planned and actual flow of one token into or out of a pool. */
export type PoolFlow = {
  readonly pool: string;
  readonly token: Address;
  readonly side: 'into' | 'out of';
  readonly planned: bigint;
  readonly moved: bigint;
};

/** Parties of a trade besides its pools. */
export type FlowParties = {
  /** The user, the receiver, and the accounts that the trade passes through. */
  readonly holders: readonly Address[];
  /** Tokens that the user pays or receives as the native token. */
  readonly native: readonly Address[];
  /** Pools that the transaction did not call. */
  readonly untouched: readonly string[];
};

/**
 * Returns the planned and the actual flows of each pool in a plan. Payments from a pool to its
 * treasury, in either token, count as fees. Payments that a token makes from its own
 * contract, for example to sell its fee, are not part of the trade. Omits flows that transfers do
 * not show:
 * - If a pool was called but no token of the routes moved at its address, a vault holds its tokens.
 * - If one contract holds many pools, it need not transfer amounts between them.
 * - The wrapped native token may have moved as the native token.
 * - A pool may mint shares for the token that it takes, or burn them.
 */
export function flowsOfPools(
  plan: SwapPlan,
  payments: readonly Payment[],
  { holders, native, untouched }: FlowParties,
): readonly PoolFlow[] {
  const reported = payments.filter(({ by }) => by === 'transfer');
  const transfers = reported.map(withTokenAsIssuer);
  const tradeOnly = reported.filter(({ token, from }) => from !== token).map(withTokenAsIssuer);
  const pools = [...new Set(plan.steps.map(({ pool }) => pool))];
  const parties = new Set<string>([...holders, ...pools]);
  const moved = [transfers, withoutFees(transfers, parties), withoutFees(tradeOnly, parties)].map(
    netOf,
  );
  const movedNative = netOf(payments.filter(({ by }) => by === 'native'));
  const wraps = payments.filter(({ by }) => by === 'wrap');
  const wrapped = new Set([...native, ...wraps.map(({ token }) => token)]);
  const issued = new Set(transfers.filter(isMintOrBurn).map(({ token }) => token));
  return pools.flatMap((pool) => {
    const steps = plan.steps.filter((step) => step.pool === pool);
    const took = sumByToken(steps.flatMap(({ from }) => from));
    const gave = sumByToken(steps.flatMap(({ to }) => to));
    const flows = [...new Set([...took.keys(), ...gave.keys()])].map((token): PoolFlow => {
      const planned = (took.get(token) ?? 0n) - (gave.get(token) ?? 0n);
      const asWrapped = moved.map((net) => net.get(pool as Address)?.get(token) ?? 0n);
      // One contract may hold pools of the native token and of its wrapped form.
      const asNative = movedNative.get(pool as Address)?.get(NATIVE_TOKEN) ?? 0n;
      const changes = wrapped.has(token)
        ? asWrapped.flatMap((change) => [change, change + asNative])
        : asWrapped;
      return took.has(token) && planned >= 0n
        ? { pool, token, side: 'into', planned, moved: nearest(planned, changes) }
        : { pool, token, side: 'out of', planned: -planned, moved: -nearest(planned, changes) };
    });
    if (untouched.includes(pool)) return flows;
    if (flows.every((flow) => flow.moved === 0n)) return [];
    const mayBeNative = ({ token, planned, moved }: PoolFlow) =>
      wrapped.has(token) && moved < planned && (moved === 0n || steps.length > 1);
    const mayBeShares = ({ token, moved }: PoolFlow) => moved === 0n && issued.has(token);
    return flows.filter((flow) => !mayBeNative(flow) && !mayBeShares(flow));
  });
}

/**
 * A pool may be the token of its own shares. The token therefore counts as the sender of minted
 * amounts and as the recipient of burned amounts.
 */
function withTokenAsIssuer(transfer: Transfer): Transfer {
  const { token, from, to } = transfer;
  return {
    ...transfer,
    from: from === ZERO_ADDRESS ? token : from,
    to: to === ZERO_ADDRESS ? token : to,
  };
}

function isMintOrBurn({ token, from, to }: Transfer): boolean {
  return from === token || to === token;
}

/**
 * Subtracts from each payment the part that another account, such as a treasury, keeps as a fee.
 */
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
 * Returns whether the flow of a pool is as planned, within `tolerancePpm` of the amount and 2 base
 * units. A tolerance of 0 allows no difference. In an exact-output trade, each pool may pay
 * slightly more than planned, and the next pool takes the excess.
 *
 * @see maxExcess
 */
export function isTrueFlow(
  { pool, token, side, planned, moved }: PoolFlow,
  plan: SwapPlan,
  swapKind: SwapKind,
  tolerancePpm: number,
): boolean {
  const dust = tolerancePpm === 0 ? 0n : 2n;
  const tolerated = ppmOf(planned, tolerancePpm) + dust;
  if (moved < planned - tolerated) return false;
  if (moved <= planned + tolerated) return true;
  if (swapKind === 'exact-input') return false;
  const { before, after } = maxExcess(plan, 'one step takes all');
  const ends = plan.steps.filter((step) => step.pool === pool);
  const shares = side === 'into' ? [before({ token, amount: planned })] : ends.map(after);
  return isRoundedExcess(moved - planned, planned, Math.max(0, ...shares));
}

/**
 * Returns whether `more`, the excess of an exact output, is at most a share of the planned amount
 * and 2 base units.
 */
export function isRoundedExcess(more: bigint, planned: bigint, share: number): boolean {
  return Number(more) <= Number(planned) * share + 2;
}

/** Maximum excess of a swap that is paid one base unit, as a multiple of the planned output. */
const MAX_EXCESS_OF_ONE = 100;
/**
 * If the plan takes only that unit of a token, the unit may be worth any multiple of the output.
 */
const MAX_EXCESS_OF_SOLE_ONE = 1e40;

/**
 * Returns the shares by which the amounts of an exact-output trade may exceed the plan: `of` a
 * token, `before` a step that takes an amount, and `after` a step. A pool receives whole base units
 * and pays out the maximum that they buy. Since one base unit less would not have sufficed, a pool
 * that receives `n` pays out less than `n / (n - 1)` of the planned output. The next pools take the
 * excess. At a token where several steps end, each step's excess is weighted by its amount. If
 * several steps begin there, they share the excess, or one step takes all of it: routers that trade
 * path by path never mix the amounts of two paths.
 */
export function maxExcess(
  { steps }: Pick<SwapPlan, 'steps'>,
  split: 'steps share it' | 'one step takes all' = 'steps share it',
) {
  const known = new Map<Address, { readonly share: number; readonly total: number }>();
  const excessOf = (token: Address) => {
    const found = known.get(token);
    if (found !== undefined) return found;
    // Only a broken plan has cycles. This entry ends the recursion.
    known.set(token, { share: 0, total: 0 });
    const inflows = steps.flatMap((step) =>
      step.to
        .filter((leg) => leg.token === token)
        .map(({ amount }) => ({ amount: Number(amount), share: after(step) })),
    );
    const total = inflows.reduce((sum, { amount }) => sum + amount, 0);
    const mean = inflows.reduce((sum, { amount, share }) => sum + (amount / total) * share, 0);
    const excess = { share: Number.isFinite(mean) ? mean : 0, total };
    known.set(token, excess);
    return excess;
  };
  const isAlone = split === 'one step takes all';
  const taken = sumByToken(steps.flatMap(({ from }) => from));
  const before = ({ token, amount }: TokenAmount): number => {
    const { share, total } = excessOf(token);
    return isAlone && amount > 0n ? share * Math.max(1, total / Number(amount)) : share;
  };
  const roundingOf = ({ token, amount }: TokenAmount): number => {
    if (amount > 1n) return 1 / (Number(amount) - 1);
    return isAlone && taken.get(token) === amount ? MAX_EXCESS_OF_SOLE_ONE : MAX_EXCESS_OF_ONE;
  };
  const after = ({ from }: SwapPlan['steps'][number]): number => {
    const shares = from.map((leg) => {
      const [earlier, rounding] = [before(leg), roundingOf(leg)];
      return earlier + rounding + earlier * rounding;
    });
    return Math.max(0, ...shares);
  };
  return { of: (token: Address) => excessOf(token).share, before, after };
}
