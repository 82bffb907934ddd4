import type { TradedPair } from '../../conformance/discovery/facts.ts';

/**
 * Returns queries that each break one parameter rule of /swap (4.1) in a way
 * that the specification leaves no doubt of, the key left to be added.
 */
export function brokenRequests(chainId: number, { sell, buy, sellAmount }: TradedPair): string[] {
  const right = {
    chainId: String(chainId),
    sellToken: sell.address,
    buyToken: buy.address,
    sellAmount: String(sellAmount),
  };
  const wrong: Record<string, string | undefined>[] = [
    { chainId: undefined },
    { sellToken: undefined },
    { buyToken: undefined },
    { sellAmount: undefined },
    { buyAmount: '1000' },
    { sellAmount: '0' },
    { sellAmount: '-1' },
    { sellAmount: '1.5' },
    { chainId: 'one' },
    { router: 'no-such-router' },
    { includeCalldata: 'true' },
    { slippageTolerance: '1.5', includeCalldata: 'true', userAddress: `0x${'1'.repeat(40)}` },
  ];
  return wrong.map((change) =>
    Object.entries({ ...right, ...change })
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
      .join('&'),
  );
}
