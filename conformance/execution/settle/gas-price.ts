import type { BlockFields } from '../../model/scenario.ts';

/** A tip is a multiple of the base fee divided by this number. */
const TIP_STEPS = 2n ** 32n;

/**
 * Returns the gas price of a trade in wei: the base fee, and a tip of at most the same amount. The
 * tip is derived from the salt, because a constant ratio would show a contract that it is judged.
 */
export function gasPriceIn({ baseFee, salt }: BlockFields): bigint {
  const steps = (BigInt(salt) % TIP_STEPS) + 1n;
  return baseFee + (baseFee * steps + TIP_STEPS - 1n) / TIP_STEPS;
}
