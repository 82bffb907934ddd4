import { describe, expect, test } from 'vitest';
import type { ChainMarket, Facts } from '../../conformance/discovery/facts.ts';
import { plainAsset, plainMarket } from '../../conformance/execution/plain-market.testing.ts';
import { DEFAULT_SETTINGS } from '../model/default-settings.ts';
import type { StudySettings } from '../model/settings.ts';
import { budgetOf } from './budget.ts';
import { chooseCorpus, commonMarket } from './choose-corpus.ts';

const SETTINGS: StudySettings = { ...DEFAULT_SETTINGS, chains: [1] };
const [NATIVE, USD, ...OTHERS] = ['0', '1', '2', '3', '4'].map((digit, at) => ({
  ...plainAsset(`0x${digit.repeat(40)}`, `T${digit}`),
  usdPrice: 10 ** at,
}));
const others = OTHERS.map((other) => [USD, other] as const);
const PAIRS = [[NATIVE, USD], [USD, NATIVE], ...others] as Parameters<typeof plainMarket>[1];
const factsOf = (market: ChainMarket | undefined): Facts => ({
  chains: [],
  chainInfo: new Map(),
  tokens: new Map(),
  markets: new Map(market === undefined ? [] : [[1, market]]),
});
const marketOf = (pairs = PAIRS, more: Partial<ChainMarket> = {}) =>
  factsOf({ ...plainMarket(1, pairs, [1n, 1n]), ...more });
const corpusOf = (settings: Partial<StudySettings> = {}) => {
  const chain = commonMarket([marketOf()], 1);
  return chooseCorpus(chain === undefined ? [] : [chain], { ...SETTINGS, ...settings });
};

describe('commonMarket', () => {
  test('several services -> the pairs and routers that all have, in the order of the first service', () => {
    const routers = new Map([
      ['default-router', 'calldata'],
      ['service-router', 'calldata'],
    ] as const);
    const one = marketOf(PAIRS, { routers });
    const two = marketOf([...PAIRS].reverse().slice(1), {
      routers: new Map([...routers, ['default-router', 'plan']]),
    });
    const common = commonMarket([one, two], 1);
    expect(common?.market.pairs.map(({ buy }) => buy.symbol)).toEqual(['T1', 'T0', 'T2', 'T3']);
    expect(common?.routers).toEqual(['service-router']);
  });

  test('no common pair -> the pairs of the first service; no pair at all -> no market', () => {
    const other = marketOf(PAIRS.slice(0, 1), { routers: new Map() });
    expect(commonMarket([marketOf(PAIRS.slice(1)), other], 1)?.market.pairs).toHaveLength(4);
    expect(commonMarket([factsOf(undefined)], 1)).toBeUndefined();
    expect(commonMarket([marketOf(PAIRS, { routers: new Map() })], 1)).toBeUndefined();
  });
});

describe('chooseCorpus', () => {
  test('the same seed -> the same trades; another seed -> other trades', () => {
    expect(corpusOf()).toEqual(corpusOf());
    expect(corpusOf({ seed: 2 })).not.toEqual(corpusOf());
  });

  test('trades -> whole ladders of every size, worth the stated dollars', () => {
    const trades = corpusOf({ trades: 7 });
    expect(trades.map(({ ladder, usd }) => [ladder, usd])).toEqual(
      [0, 1].flatMap((ladder) => SETTINGS.sizes.map((usd) => [ladder, usd])),
    );
    const prices = new Map([NATIVE, USD, ...OTHERS].map((each) => [each?.symbol, each?.usdPrice]));
    for (const { swapKind, sell, buy, usd, amount } of trades) {
      const { symbol } = swapKind === 'exact-input' ? sell : buy;
      expect((Number(amount) / 1e18) * (prices.get(symbol) ?? 0)).toBeCloseTo(usd, -1);
    }
  });

  test('a token with few base units -> no trade that rounding could dominate', () => {
    const [few, none, dear] = [
      { ...plainAsset(`0x${'5'.repeat(40)}`, 'FEW'), usdPrice: 1, decimals: 2 },
      { ...plainAsset(`0x${'6'.repeat(40)}`, 'NONE'), usdPrice: 1, decimals: 0 },
      { ...plainAsset(`0x${'7'.repeat(40)}`, 'DEAR'), usdPrice: 100_000, decimals: 8 },
    ];
    const sizesOf = (token: typeof few, sizes = SETTINGS.sizes) => {
      const market = marketOf([[USD, token]] as Parameters<typeof plainMarket>[1]);
      const chain = commonMarket([market], 1);
      const chains = chain === undefined ? [] : [chain];
      return chooseCorpus(chains, { seed: 1, trades: 1, sizes }).map(({ usd }) => usd);
    };
    expect(sizesOf(few)).toEqual([1_000, 10_000, 100_000, 1_000_000]);
    expect(sizesOf(none)).toEqual([100_000, 1_000_000]);
    expect(sizesOf(dear)).toEqual([100, 1_000, 10_000, 100_000, 1_000_000]);
    // At every size, rounding matters, so only the largest size is chosen.
    expect(sizesOf(none, [10, 100])).toEqual([100]);
    const both = commonMarket(
      [
        marketOf([
          [USD, none],
          [USD, OTHERS[0]],
        ] as Parameters<typeof plainMarket>[1]),
      ],
      1,
    );
    const trades = chooseCorpus(both === undefined ? [] : [both], { ...SETTINGS, sizes: [10] });
    expect(new Set(trades.map(({ buy }) => buy.symbol))).toEqual(new Set(['T2']));
    expect(trades.map(({ id }) => id)).toEqual(trades.map((_, at) => at));
  });

  test('enough ladders -> each router and side, with the native token and with market makers', () => {
    const trades = corpusOf({ trades: 12 * SETTINGS.sizes.length });
    const kinds = trades.map(({ swapKind, useRfq, sell, buy }) =>
      [swapKind, useRfq, sell.native, buy.native].join(' '),
    );
    expect(new Set(kinds).size).toBe(2 * 2 * 3);
  });

  test('many ladders -> the first pair of a kind more often than the last', () => {
    const trades = corpusOf({ trades: 2_000, sizes: [100] });
    const times = (symbol: string) => trades.filter(({ buy }) => buy.symbol === symbol).length;
    expect(times('T2')).toBeGreaterThan(1.5 * times('T3'));
    expect(times('T3')).toBeGreaterThan(times('T4'));
    expect(times('T4')).toBeGreaterThan(0);
  });
});

describe('budgetOf', () => {
  test('later blocks -> one ladder per block, and a wait for the last block', () => {
    const { seconds } = budgetOf(SETTINGS, 2, { blockSeconds: 12 });
    expect(seconds).toBeGreaterThanOrEqual((20 + 25) * 12);
    expect(seconds).toBeLessThan((20 + 25) * 12 + 60);
  });

  test('no later block -> only the rate adds waits', () => {
    const now = { ...SETTINGS, blocks: [0] };
    const fast = budgetOf(now, 1, { blockSeconds: 12 });
    expect(fast.seconds).toBeLessThan(60);
    expect(budgetOf(now, 1, { blockSeconds: 12, rate: 1 }).seconds).toBeGreaterThanOrEqual(
      fast.requests,
    );
  });

  test('twice the services -> twice the node calls, and the same number of requests to each service', () => {
    const [one, two] = [1, 2].map((services) => budgetOf(SETTINGS, services, { blockSeconds: 1 }));
    expect(two?.nodeCalls).toBe(2 * (one?.nodeCalls ?? 0));
    expect(two?.requests).toBe(one?.requests);
  });
});
