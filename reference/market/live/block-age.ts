/**
 * Block times by chain id. Infinite for chains that mine on demand, since their blocks may have any
 * age.
 */
const BLOCK_MS: ReadonlyMap<number, number> = new Map([
  [1, 12_000], // Ethereum
  [10, 2_000], // OP Mainnet
  [56, 750], // BNB Smart Chain
  [100, 5_000], // Gnosis
  [130, 1_000], // Unichain
  [137, 2_000], // Polygon
  [8453, 2_000], // Base
  [42161, 250], // Arbitrum One
  [43114, 1_700], // Avalanche
  [59144, 2_000], // Linea
  [534352, 3_000], // Scroll
  [11155111, 12_000], // Sepolia
  // Development chains: Ganache, then Anvil and Hardhat, then the second fixture chain.
  ...[1337, 31337, 31338].map((chainId) => [chainId, Number.POSITIVE_INFINITY] as const),
]);

/** More than one block time, because validators may miss their slots. */
const MAX_BLOCK_TIMES = 5;
const MIN_AGE_S = 15;
const DEFAULT_AGE_S = 120;

/** Returns the default maximum age of a chain's latest block in seconds. */
export function maxBlockAgeOf(chainId: number): number {
  const blockMs = BLOCK_MS.get(chainId);
  return blockMs === undefined
    ? DEFAULT_AGE_S
    : Math.max(MIN_AGE_S, (MAX_BLOCK_TIMES * blockMs) / 1000);
}
