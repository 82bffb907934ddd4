import type { Plan, ReferenceId } from './plan.ts';

/**
 * A token whose inflow and outflow in a plan differ by more than the tolerance. Amounts are in base
 * units.
 */
export type Imbalance = {
  readonly referenceId: ReferenceId;
  readonly place: 'sell' | 'buy' | 'between';
  readonly inflow: bigint;
  readonly outflow: bigint;
  /** Maximum tolerated difference for this token. */
  readonly allowed: bigint;
};

/** The largest difference between a token's inflow and outflow, relative to its flow. */
export type Dust = {
  readonly referenceId: ReferenceId;
  /** Inflow minus outflow: positive if an amount is left over, negative if it is overspent. */
  readonly baseUnits: bigint;
  readonly partsPerMillion: number;
};

/**
 * The balance of a plan: the imbalances beyond the tolerance, and the largest dust, tolerated or
 * not.
 */
export type Balance = {
  readonly imbalances: readonly Imbalance[];
  readonly largestDust: Dust | undefined;
};

/**
 * Returns the balance of a plan. For each token, inflow (including `sell.amount` at the sell token)
 * must equal outflow (including `buy.amount` at the buy token): exactly at the sell token, within 2
 * base units at the buy token, and within `tolerancePpm` of the flow plus 2 base units elsewhere. A
 * tolerance of 0 requires exact equality everywhere. Fractions of a part per million count to six
 * decimal places.
 *
 * @see Specification 1.1: the routes convert the sell token into the buy token
 */
export function balancePlan(plan: Plan, tolerancePpm: number): Balance {
  const flows = new Map<ReferenceId, { inflow: bigint; outflow: bigint }>();
  const flowOf = (id: ReferenceId) => {
    const known = flows.get(id);
    if (known !== undefined) return known;
    const fresh = { inflow: 0n, outflow: 0n };
    flows.set(id, fresh);
    return fresh;
  };
  flowOf(plan.sell.referenceId).inflow += plan.sell.amount;
  flowOf(plan.buy.referenceId).outflow += plan.buy.amount;
  for (const route of plan.routes) {
    for (const leg of route.from) flowOf(leg.referenceId).outflow += leg.amount;
    for (const leg of route.to) flowOf(leg.referenceId).inflow += leg.amount;
  }
  const imbalances: Imbalance[] = [];
  let largestDust: Dust | undefined;
  for (const [referenceId, { inflow, outflow }] of flows) {
    const place =
      referenceId === plan.buy.referenceId
        ? 'buy'
        : referenceId === plan.sell.referenceId
          ? 'sell'
          : 'between';
    const difference = inflow - outflow;
    if (difference === 0n) continue;
    const flow = difference > 0n ? inflow : outflow;
    const allowed = toleranceAt(place, flow, tolerancePpm);
    if (difference > allowed || -difference > allowed) {
      imbalances.push({ referenceId, place, inflow, outflow, allowed });
    }
    if (place === 'between') {
      const partsPerMillion = toPpm(difference < 0n ? -difference : difference, flow);
      if (largestDust === undefined || partsPerMillion > largestDust.partsPerMillion) {
        largestDust = { referenceId, baseUnits: difference, partsPerMillion };
      }
    }
  }
  return { imbalances, largestDust };
}

function toleranceAt(place: Imbalance['place'], flow: bigint, tolerancePpm: number): bigint {
  if (place === 'sell' || tolerancePpm === 0) return 0n;
  if (place === 'buy') return 2n;
  return ppmOf(flow, tolerancePpm) + 2n;
}

/**
 * Returns the given parts per million of an amount, rounded down. Returns at most the amount
 * itself. `partsPerMillion` may have six decimal places.
 */
export function ppmOf(amount: bigint, partsPerMillion: number): bigint {
  const parts = BigInt(Math.round(Math.min(partsPerMillion, 1e6) * 1e6));
  return (amount * parts) / 1_000_000_000_000n;
}

function toPpm(difference: bigint, flow: bigint): number {
  return Number((difference * 1_000_000_000_000_000n) / flow) / 1e9;
}
