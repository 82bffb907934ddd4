import type { RequestListener } from 'node:http';
import type { Answer } from '../client/in-process.testing.ts';

const usd = '0x1000000000000000000000000000000000000001';
const wrapped = '0x2000000000000000000000000000000000000002';

/** A well-formed body for each operation, for tests of the runner. */
export const TINY_BODIES = {
  chains: [{ chainId: 7, name: 'Seven' }],
  tokens: [
    {
      address: usd,
      name: 'Dollar',
      symbol: 'USD',
      decimals: 6,
      metadata: { logoURI: 'https://e.org/u' },
    },
    {
      address: wrapped,
      name: 'Wrapped',
      symbol: 'W',
      decimals: 6,
      metadata: { logoURI: 'https://e.org/w' },
    },
  ],
  chainInfo: {
    chainId: 7,
    name: 'Seven',
    usdTokenAddress: usd,
    wrappedNativeTokenAddress: wrapped,
    routers: [
      { name: 'default-router', liquiditySources: ['V2'], deployedAddress: usd, hasEncoder: false },
    ],
  },
} as const;

/** Returns the lookups, and a similar plan for every swap. */
export function tinyAnswer(url: URL): Answer {
  const name = url.pathname.replace('/api/v1.0/', '');
  if (Object.hasOwn(TINY_BODIES, name)) {
    return { body: TINY_BODIES[name as keyof typeof TINY_BODIES] };
  }
  return { body: tinyPlan(url.searchParams.get('sellAmount') ?? '1') };
}

/** The tiny service over HTTP. */
export const tinyService: RequestListener = (request, response) => {
  const { body } = tinyAnswer(new URL(request.url ?? '', 'http://localhost'));
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
};

/** Returns a plan that buys 2 for every 1 sold. */
export function tinyPlan(sellAmount: string) {
  const buyAmount = /^[0-9]{1,60}$/.test(sellAmount) ? String(BigInt(sellAmount) * 2n) : '2';
  return {
    aggregator: 'tiny',
    router: 'default-router',
    sell: { referenceId: 0, amount: sellAmount },
    buy: { referenceId: 1, amount: buyAmount },
    nativeTokenUsdPrice: 2,
    tokens: [
      { referenceId: 0, address: wrapped, name: 'Wrapped', symbol: 'W', decimals: 6, usdPrice: 2 },
      { referenceId: 1, address: usd, name: 'Dollar', symbol: 'USD', decimals: 6, usdPrice: 1 },
    ],
    routes: [
      {
        address: '0x3000000000000000000000000000000000000003',
        name: 'V2',
        fromTokens: [{ referenceId: 0, amount: sellAmount }],
        toTokens: [{ referenceId: 1, amount: buyAmount }],
      },
    ],
  };
}
