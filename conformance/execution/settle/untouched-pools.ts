import type { TracedFrame } from '../../model/scenario.ts';
import type { Settled, Trade } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { readAddress } from './read-swap-plan.ts';
import type { StateSource } from './simulate.ts';
import { traceCall } from './trace-call.ts';

/**
 * Returns the pools of a plan at whose addresses nothing moves, as with pools within a vault. Returns
 * none if nothing moves anywhere.
 */
export function silentPools(
  { plan }: Pick<Trade, 'plan'>,
  { settlement }: Settled,
): readonly Address[] {
  const moved = new Set(settlement.payments.flatMap(({ from, to }) => [from, to]));
  if (moved.size === 0) return [];
  const pools = new Set(plan.steps.flatMap(({ pool }) => readAddress(pool) ?? []));
  return [...pools].filter((pool) => !moved.has(pool));
}

/**
 * Returns whether a settlement calls an account. A vault calls its pools. Returns true if the node
 * cannot trace the settlement.
 */
export async function isCalled(
  source: StateSource,
  account: Address,
  { scenario, settlement }: Settled,
): Promise<boolean> {
  const root = settlement.calls ?? (await traceCall(source, scenario));
  return root === undefined || callsAccount(root, account);
}

function callsAccount({ to, calls = [] }: TracedFrame, account: Address): boolean {
  return to === account || calls.some((call) => callsAccount(call, account));
}
