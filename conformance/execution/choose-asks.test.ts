import { describe, expect, test } from 'vitest';
import type { Asset, ChainMarket } from '../discovery/facts.ts';
import { describeAsk, requestOf } from './ask.ts';
import { chooseAsks } from './choose-asks.ts';
import { leastBought, mostSold } from './limits.ts';
import type { SwapPlan } from './swap-plan.ts';

const asset = (digit: string, symbol: string): Asset => ({
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 18,
  usdPrice: undefined,
  native: digit === '0',
});
const [ETH, WETH, USD, DAI] = [
  asset('0', 'ETH'),
  asset('1', 'WETH'),
  asset('2', 'USD'),
  asset('3', 'DAI'),
] as [Asset, Asset, Asset, Asset];

function marketOf(pairs: readonly (readonly [Asset, Asset])[]): ChainMarket {
  return {
    chainId: 5,
    addresses: 'evm',
    pairs: pairs.map(([sell, buy]) => ({ sell, buy, sellAmount: 700n, buyAmount: 1_400n })),
    refusedPairs: [],
    routers: new Map([
      ['default-router', 'calldata'],
      ['service-router', 'plan'],
    ]),
    nativeTokenUsdPrice: undefined,
  };
}

const ALL = marketOf([
  [ETH, USD],
  [USD, ETH],
  [USD, DAI],
  [ETH, WETH],
]);

describe('chooseAsks', () => {
  test('as many as there are kinds -> every kind once, of routers that give calldata', () => {
    const asks = chooseAsks(ALL, 1, 36);
    const kinds = asks.map(({ sell, buy, trade, slippageBps, recipient }) =>
      [sell.native, buy.native, trade, slippageBps, recipient].join(' '),
    );
    expect(new Set(kinds).size).toBe(36);
    expect(new Set(asks.map(({ router }) => router))).toEqual(new Set(['default-router']));
  });

  test('the same seed -> the same trades; another -> others', () => {
    expect(chooseAsks(ALL, 3, 20)).toEqual(chooseAsks(ALL, 3, 20));
    expect(chooseAsks(ALL, 3, 20)).not.toEqual(chooseAsks(ALL, 4, 20));
  });

  test('wrapping alone -> left out', () => {
    expect(chooseAsks(marketOf([[ETH, WETH]]), 1, 5)).toEqual([]);
  });

  test('no native pairs -> the count all the same', () => {
    expect(chooseAsks(marketOf([[USD, DAI]]), 1, 7)).toHaveLength(7);
  });
});

describe('requestOf', () => {
  const [ask] = chooseAsks(marketOf([[USD, DAI]]), 1, 1).map((each) => ({
    ...each,
    trade: 'exact-output' as const,
    amount: 9n,
    slippageBps: 1,
    recipient: undefined,
  }));

  test('exact output at the smallest tolerance -> as section 4.1 spells them', () => {
    expect(ask && requestOf(ask).query).toEqual([
      ['chainId', '5'],
      ['sellToken', USD.address],
      ['buyToken', DAI.address],
      ['buyAmount', '9'],
      ['router', 'default-router'],
      ['includeCalldata', 'true'],
      ['userAddress', '0x00000000000000000000000000000000c0ffee01'],
      ['slippageTolerance', '0.0001'],
    ]);
  });

  test('a chain whose plans need more -> asked for as well, its router but once', () => {
    const standing = [
      ['router', 'service-router'],
      ['useRfq', 'true'],
    ] as const;
    const [first] = chooseAsks({ ...ALL, standing }, 1, 1);
    const query = first === undefined ? [] : [...requestOf(first).query];
    const values = (name: string) =>
      query.filter(([each]) => each === name).map(([, value]) => value);
    expect(values('router')).toEqual(['default-router']);
    expect(values('useRfq')).toEqual(['true']);
  });

  test('no tolerance -> no calldata asked for', () => {
    const query = ask && requestOf({ ...ask, slippageBps: undefined }).query;
    expect(JSON.stringify(query)).not.toMatch(/includeCalldata|userAddress|slippage/);
    expect(ask && describeAsk(ask)).toBe(
      'exact-output "USD" to "DAI" on default-router, tolerance 0.0001',
    );
  });
});

describe('limits', () => {
  const [ask] = chooseAsks(ALL, 1, 1);
  const plan = { sell: { amount: 999n }, buy: { amount: 999n } } as unknown as SwapPlan;
  const of = (trade: 'exact-input' | 'exact-output', slippageBps: number) => ({
    ...(ask as NonNullable<typeof ask>),
    trade,
    slippageBps,
    amount: 500n,
  });

  test('exact input -> sells no more than quoted, buys the quote less the tolerance', () => {
    expect(mostSold(of('exact-input', 50), plan)).toBe(999n);
    expect(leastBought(of('exact-input', 50), plan)).toBe(994n);
    expect(leastBought(of('exact-input', 10_000), plan)).toBe(0n);
  });

  test('exact output -> sells the quote and the tolerance, buys what was asked for', () => {
    expect(mostSold(of('exact-output', 50), plan)).toBe(1003n);
    expect(mostSold(of('exact-output', 10_000), plan)).toBe(1998n);
    expect(leastBought(of('exact-output', 50), plan)).toBe(500n);
  });
});
