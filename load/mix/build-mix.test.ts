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

test.each([
  ['the default router, without a parameter', ['default-router', 'service-router'], undefined, ''],
  ['another router, if only it encodes', ['service-router'], undefined, 'router=service-router'],
  [
    'the router of the entry',
    ['default-router', 'service-router'],
    'service-router',
    'router=service-router',
  ],
  ['none, if that of the entry does not encode', ['service-router'], 'universal-router', undefined],
] as const)('calldata -> from %s', async (_, encoding, router, expected) => {
  const market = facts.markets.get(1);
  if (market === undefined) throw new Error('no market');
  const routers = new Map([
    ['default-router', 'plan'] as const,
    ['universal-router', 'plan'] as const,
    ...encoding.map((name) => [name, 'calldata'] as const),
  ]);
  const entry = { request: 'swap', weight: 1, calldata: true, ...(router && { router }) } as const;
  const { mix, absent } = await buildMix(
    [entry],
    { ...facts, markets: new Map([[1, { ...market, routers }]]) },
    1,
    async () => undefined,
  );
  const [template] = mix.kinds[0]?.templates ?? [];
  const after = template && 'after' in template ? template.after : undefined;
  expect(absent).toEqual(expected === undefined ? [entry] : []);
  if (expected === undefined) expect(after).toBeUndefined();
  else expect(after?.match(/router=[^&]*/)?.[0] ?? '').toBe(expected);
});
