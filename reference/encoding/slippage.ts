/** Tolerances are counted in steps of 0.0001. */
const ONE_IN_BPS = 10_000n;

/** Returns the least that may be bought where `buyAmount` was planned, rounded up: in the user's favour. */
export function leastBought(buyAmount: bigint, slippageBps: number): bigint {
  return (buyAmount * (ONE_IN_BPS - BigInt(slippageBps)) + ONE_IN_BPS - 1n) / ONE_IN_BPS;
}

/** Returns the most that may be sold where `sellAmount` was planned, rounded down: in the user's favour. */
export function mostSold(sellAmount: bigint, slippageBps: number): bigint {
  return (sellAmount * (ONE_IN_BPS + BigInt(slippageBps))) / ONE_IN_BPS;
}
