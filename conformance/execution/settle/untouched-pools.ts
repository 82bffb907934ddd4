import { erc20Abi, toFunctionSelector } from 'viem';
import type { TracedFrame } from '../../model/scenario.ts';
import type { Settled, Trade } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { readAddress } from './read-swap-plan.ts';
import type { StateSource } from './simulate.ts';
import { traceCall } from './trace-call.ts';

/**
 * Returns the pools of a plan at whose addresses nothing moves, as with pools within a vault.
 * Returns none if nothing moves anywhere.
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

/** Every trade calls its tokens in these ways, so these calls do not make a token a pool. */
const TOKEN_CALLS: ReadonlySet<string> = new Set(
  erc20Abi.flatMap((item) => (item.type === 'function' ? [toFunctionSelector(item)] : [])),
);

/**
 * Returns whether a settlement calls an account as more than a token. A vault calls its pools.
 * Returns true if the node cannot trace the settlement.
 */
export async function isCalled(
  source: StateSource,
  account: Address,
  { scenario, settlement }: Settled,
): Promise<boolean> {
  const root = settlement.calls ?? (await traceCall(source, scenario));
  return root === undefined || callsAccount(root, account);
}

function callsAccount({ to, input, calls = [] }: TracedFrame, account: Address): boolean {
  const isCalled = to === account && !TOKEN_CALLS.has(input.slice(0, 10));
  return isCalled || calls.some((call) => callsAccount(call, account));
}
