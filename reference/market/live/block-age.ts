/** Milliseconds between two blocks, by chain; of a chain that makes them on demand no time. */
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
  // Development chains: Ganache, Anvil and Hardhat, the second fixture.
  ...[1337, 31337, 31338].map((chainId) => [chainId, Number.POSITIVE_INFINITY] as const),
]);

/** Block times that may pass without a block: validators miss their turn. */
const BLOCKS = 5;
const LEAST_S = 15;
const UNKNOWN_S = 120;

/** Returns how many seconds old the latest block of a chain may be and still be traded on, unless somebody says otherwise. */
export function maxBlockAgeOf(chainId: number): number {
  const blockMs = BLOCK_MS.get(chainId);
  return blockMs === undefined ? UNKNOWN_S : Math.max(LEAST_S, (BLOCKS * blockMs) / 1000);
}
