import type { Address } from '../planner/domain/address.ts';
import type { PlanSwap, RoutingPlan } from '../planner/graph/plan.ts';
import { familyOf } from '../planner/pools/families.ts';
import { PlanTooLargeError } from './encoder.ts';

type GraphProgram = {
  readonly tokens: readonly Address[];
  readonly swaps: readonly { readonly hop: bigint; readonly share: bigint }[];
  readonly quotes: readonly (readonly bigint[])[];
};

/** Recipients in `HopLibrary`: the router itself, and the recipient of the bought token. */
const ROUTER = 0xfe;
const RECEIVER = 0xff;
/** Targets below `ROUTER` are indices of swaps. */
const MAX_PROGRAM_SWAPS = ROUTER;
const MAX_SHARE = 1n << 128n;

/**
 * Returns the program of a plan. A swap pays its output directly into the next pool if only one
 * swap sells the token and the pool can be paid before it is called. A constant-product pair can
 * always be paid first, since it sells everything above its reserve. With exact output, so can a
 * concentrated pool or an order, since all inputs are known before the first payment.
 * @throws {CyclicPlanError} if swaps form a cycle
 * @throws {PlanTooLargeError} if the plan has more swaps or larger amounts than fit into the words
 * @see ../contracts/Program.sol for the fields of the words
 */
export function encodeProgram(unordered: RoutingPlan): GraphProgram {
  const plan = { ...unordered, swaps: orderByToken(unordered) };
  if (plan.swaps.length > MAX_PROGRAM_SWAPS)
    throw new PlanTooLargeError(`${plan.swaps.length} swaps`, `at most ${MAX_PROGRAM_SWAPS}`);
  const tokens = tokensOf(plan);
  const indexOf = new Map(tokens.map((token, index) => [token, index]));
  const paidUpstream = swapsPaidUpstream(plan);

  const shares = sharesOf(plan);
  const quotes: (readonly bigint[])[] = [];
  const quoteBits = ({ pool }: PlanSwap): bigint => {
    const quote = familyOf(pool).graphRouter.quote?.(pool);
    return quote === undefined ? 0n : BigInt(quotes.push(quote)) << 192n;
  };
  return {
    tokens,
    quotes,
    swaps: plan.swaps.map((swap, i) => ({
      hop:
        BigInt(swap.pool.address) |
        familyOf(swap.pool).graphRouter.hopBits(swap.pool) |
        (BigInt(
          (indexOf.get(swap.tokenIn) ?? 0) |
            ((indexOf.get(swap.tokenOut) ?? 0) << 8) |
            (targetOf(swap, plan, paidUpstream) << 16) |
            (paidUpstream.get(swap.tokenIn) === i ? 1 << 25 : 0) |
            (swap.tokenIn < swap.tokenOut ? 1 << 26 : 0),
        ) <<
          160n) |
        quoteBits(swap),
      share: shares[i] ?? 0n,
    })),
  };
}

function orderByToken({ swaps }: RoutingPlan): readonly PlanSwap[] {
  const ordered: PlanSwap[] = [];
  let waiting = swaps;
  while (waiting.length > 0) {
    const pending = new Set(waiting.map(({ tokenOut }) => tokenOut));
    const ready = waiting.filter(({ tokenIn }) => !pending.has(tokenIn));
    if (ready.length === 0) throw new CyclicPlanError(waiting[0]?.tokenIn);
    ordered.push(...ready);
    waiting = waiting.filter(({ tokenIn }) => pending.has(tokenIn));
  }
  return ordered;
}

function tokensOf({ sellToken, buyToken, swaps }: RoutingPlan): Address[] {
  const between = new Set(swaps.map(({ tokenOut }) => tokenOut));
  between.delete(buyToken);
  return [sellToken, ...between, buyToken];
}

/**
 * With exact input, a swap's share is its input divided by the inputs of this and all later swaps
 * that sell the same token. With exact output, the share is its output divided by the outputs of
 * this and all earlier swaps that buy the same token. A share of one is encoded as 0 divided by 0,
 * since zero bytes cost less.
 */
function sharesOf({ swapKind, swaps }: RoutingPlan): bigint[] {
  const sells = swapKind === 'exact-input';
  const parts = swaps.map((swap) => ({
    token: sells ? swap.tokenIn : swap.tokenOut,
    amount: sells ? swap.amountIn : swap.amountOut,
  }));
  const sums = new Map<Address, bigint>();
  const shareOf = ({ token, amount }: (typeof parts)[number]): bigint => {
    const whole = (sums.get(token) ?? 0n) + amount;
    if (whole >= MAX_SHARE) throw new PlanTooLargeError(`an amount of ${whole}`, 'less than 2^128');
    sums.set(token, whole);
    return amount === whole ? 0n : (amount << 128n) | whole;
  };
  return sells ? parts.reverse().map(shareOf).reverse() : parts.map(shareOf);
}

function swapsPaidUpstream({
  swapKind,
  sellToken,
  swaps,
}: RoutingPlan): ReadonlyMap<Address, number> {
  const consumers = new Map<Address, number[]>();
  for (const [i, { tokenIn }] of swaps.entries()) {
    consumers.set(tokenIn, [...(consumers.get(tokenIn) ?? []), i]);
  }
  const paid = new Map<Address, number>();
  for (const [token, [only, ...others]] of consumers) {
    if (only === undefined || others.length > 0 || token === sellToken) continue;
    const pool = swaps[only]?.pool;
    const when = pool && familyOf(pool).graphRouter.paidUpstream;
    if (when === 'always' || when === swapKind) paid.set(token, only);
  }
  return paid;
}

function targetOf(
  { tokenOut }: PlanSwap,
  { buyToken }: RoutingPlan,
  paidUpstream: ReadonlyMap<Address, number>,
): number {
  if (tokenOut === buyToken) return RECEIVER;
  return paidUpstream.get(tokenOut) ?? ROUTER;
}

/** Thrown for a plan that contains a cycle. */
export class CyclicPlanError extends Error {
  override readonly name = 'CyclicPlanError';

  constructor(token: Address | undefined) {
    super(`the plan trades ${token} in a cycle`);
  }
}
