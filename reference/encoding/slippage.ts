const ONE_IN_BPS = 10_000n;

/** Returns the minimum output for a planned `buyAmount`, rounded up in favor of the user. */
export function minBoughtFor(buyAmount: bigint, slippageBps: number): bigint {
  return (buyAmount * (ONE_IN_BPS - BigInt(slippageBps)) + ONE_IN_BPS - 1n) / ONE_IN_BPS;
}

/** Returns the maximum input for a planned `sellAmount`, rounded down in favor of the user. */
export function maxSoldFor(sellAmount: bigint, slippageBps: number): bigint {
  return (sellAmount * (ONE_IN_BPS + BigInt(slippageBps))) / ONE_IN_BPS;
}
