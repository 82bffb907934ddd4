import { expect, test } from 'vitest';
import type { Facts, TradedPair } from '../../conformance/discovery/facts.ts';
import { buildMix } from './build-mix.ts';

const pairs = Array.from({ length: 12 }, (_, i): TradedPair => {
  const token = (digit: number) => ({
    ...{ address: `0x${digit}${i}`, symbol: `T${i}`, decimals: 6, native: false },
    usdPrice: undefined,
  });
  return { sell: token(1), buy: token(2), sellAmount: 10n ** 6n, buyAmount: 10n ** 6n };
});
const facts: Facts = {
  chains: [],
  chainInfo: new Map(),
  tokens: new Map(),
  markets: new Map([
    [
      1,
      {
        ...{ chainId: 1, addresses: 'evm', pairs, pairsWithoutPlan: [] },
        routers: new Map([['default-router', 'plan']]),
        nativeTokenUsdPrice: undefined,
      },
    ],
  ]),
};

test('many pairs -> their ranges are searched concurrently', async () => {
  const pending: (() => void)[] = [];
  let rounds = 0;
  const respondInRounds = setInterval(() => {
    if (pending.length > 0) rounds++;
    for (const answer of pending.splice(0)) answer();
  });
  try {
    const { mix } = await buildMix([{ request: 'swap', weight: 1 }], facts, 1, async (...trade) => {
      await new Promise<void>((resolve) => pending.push(resolve));
      return trade[2];
    });
    expect(rounds).toBeLessThanOrEqual(4);
    const templates = mix.kinds[0]?.templates ?? [];
    expect(templates).toHaveLength(12);
    for (const template of templates) {
      expect('amountLog10' in template && template.amountLog10.map(Math.round)).toEqual([2, 10]);
    }
  } finally {
    clearInterval(respondInRounds);
  }
});

test('a mix without swaps -> no plan is requested to find a range', async () => {
  const entries = [
    { request: 'tokens', weight: 1 } as const,
    { request: 'invalid', weight: 1 } as const,
  ];
  const { mix, absent } = await buildMix(entries, facts, 1, () => {
    throw new Error('a plan was requested');
  });
  expect(mix.kinds.map(({ endpoint }) => endpoint)).toEqual(['tokens', 'invalid']);
  expect(absent).toEqual([]);
});
