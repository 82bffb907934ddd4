import type { SwapPlan } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { readAddress } from '../settle/read-swap-plan.ts';
import type { Fork } from './fork.ts';

/**
 * Returns the pools of a plan that have no code. Skips pools of a singleton contract, whose
 * identifiers are longer than addresses.
 */
export async function poolsWithoutCode(
  fork: Pick<Fork, 'rpc' | 'readOnce'>,
  { steps }: SwapPlan,
): Promise<readonly Address[]> {
  const pools = [...new Set(steps.flatMap(({ pool }) => readAddress(pool) ?? []))];
  const haveCode = await Promise.all(pools.map((pool) => hasCode(fork, pool)));
  return pools.filter((_, index) => !haveCode[index]);
}

/** Returns whether an account is a contract. */
export function hasCode(fork: Pick<Fork, 'rpc' | 'readOnce'>, address: Address): Promise<boolean> {
  return fork.readOnce(`code of ${address}`, async () => {
    const code = await fork.rpc<string>('eth_getCode', [address, 'latest']);
    return code !== '0x';
  });
}
