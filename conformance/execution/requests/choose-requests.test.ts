import { describe, expect, test } from 'vitest';
import { NATIVE_ALIASES } from '../../contract/names.ts';
import type { Asset, ChainMarket } from '../../discovery/facts.ts';
import { type TradeRequest, targetOf } from '../../model/trade-request.ts';
import { plainAsset, plainMarket } from '../plain-market.testing.ts';
import { accountsFrom } from '../scenario/accounts.ts';
import { chooseRequests, targetInNotation, varyRequests } from './choose-requests.ts';

const ACCOUNTS = accountsFrom('test');
const USER = ACCOUNTS.user;
const draw = (seed: number) => ({ seed, accounts: ACCOUNTS });

const [ETH, WETH, USD, DAI] = ['ETH', 'WETH', 'USD', 'DAI'].map((symbol, digit) =>
  plainAsset(`0x${String(digit).repeat(40)}`, symbol),
) as [Asset, Asset, Asset, Asset];

const marketOf = (pairs: readonly (readonly [Asset, Asset])[]): ChainMarket => ({
  ...plainMarket(5, pairs, [700n, 1_400n]),
  routers: new Map([
    ['default-router', 'calldata'],
    ['service-router', 'plan'],
  ]),
});

const ALL = marketOf([
  [ETH, USD],
  [USD, ETH],
  [USD, DAI],
  [ETH, WETH],
]);

describe('chooseRequests', () => {
  test('as many trades as kinds -> each kind once, on routers that return calldata', () => {
    const requests = chooseRequests(ALL, draw(1), 36);
    const kinds = requests.map(({ sell, buy, swapKind, slippageBps, recipient }) =>
      [sell.native, buy.native, swapKind, slippageBps, recipient].join(' '),
    );
    expect(new Set(kinds).size).toBe(36);
    expect(new Set(requests.map(({ router }) => router))).toEqual(new Set(['default-router']));
  });

  test('every third trade -> requests market makers, too', () => {
    const requests = chooseRequests(ALL, draw(1), 36).filter(({ useRfq }) => useRfq);
    expect(requests).toHaveLength(12);
  });

  test('every few trades -> split plans, each alias of the native token, and more often another recipient', () => {
    const split = ALL.pairs.map((pair) => ({
      pair: { ...pair, sellAmount: 9_999n, buyAmount: 9_999n },
      router: 'default-router' as const,
      shape: 'split' as const,
    }));
    for (const seed of [1, 2, 3, 4, 5]) {
      const requests = chooseRequests(ALL, draw(seed), 36, split);
      const isSplit = ({ amount }: TradeRequest) => amount === 9_999n;
      expect(requests.filter(isSplit).length).toBeGreaterThanOrEqual(12);
      for (const swapKind of ['exact-input', 'exact-output']) {
        const wide = requests.filter(
          ({ slippageBps = 0, ...each }) => each.swapKind === swapKind && slippageBps >= 500,
        );
        expect(wide.filter(isSplit).length).toBeGreaterThanOrEqual(2);
      }
      const sold = requests.filter(({ sell }) => sell.native).map(({ sell }) => sell.address);
      for (const alias of NATIVE_ALIASES) {
        expect(sold.filter((address) => address === alias)).toHaveLength(6);
      }
      const recipients = requests.flatMap(({ recipient }) => recipient ?? []);
      expect(recipients.filter((recipient) => recipient !== USER)).toHaveLength(12);
    }
  });

  test('the same seed -> the same trades; another seed -> other trades', () => {
    expect(chooseRequests(ALL, draw(3), 20)).toEqual(chooseRequests(ALL, draw(3), 20));
    expect(chooseRequests(ALL, draw(3), 20)).not.toEqual(chooseRequests(ALL, draw(4), 20));
  });

  test('tokens with a rare number of decimals -> also traded', () => {
    const tokens = Array.from({ length: 30 }, (_, index) => ({
      ...plainAsset(`0x${String(index + 10).padStart(40, 'a')}`, `T${index}`),
      decimals: index === 7 ? 0 : 18,
    }));
    const market = marketOf(tokens.map((token) => [token, USD] as const));
    const requests = chooseRequests(market, draw(1), 24);
    const timesSold = (symbol: string) => requests.filter(({ sell }) => sell.symbol === symbol);
    expect(timesSold('T7').length).toBeGreaterThanOrEqual(2);
  });

  test('no pairs with the native token -> the requested number of trades', () => {
    expect(chooseRequests(marketOf([[USD, DAI]]), draw(1), 7)).toHaveLength(7);
  });
});

const WRAPPED = `0x${'1'.repeat(40)}` as const;
const request: TradeRequest = {
  chainId: 5,
  router: 'default-router',
  sell: ETH,
  buy: USD,
  swapKind: 'exact-input',
  amount: 7n,
  slippageBps: 0,
  user: `0x${'a'.repeat(40)}`,
  recipient: undefined,
};
const requests = Array.from({ length: 5 }, () => request);

describe('varyRequests', () => {
  test('five trades -> each variant changes a different parameter', () => {
    const whole = targetOf(request).query as readonly (readonly [string, string])[];
    const changed = varyRequests(requests, WRAPPED, ACCOUNTS.wallet).map((varied) => {
      const query = targetOf(varied).query as readonly (readonly [string, string])[];
      return query.filter(([name, value]) => !whole.some(([n, v]) => n === name && v === value));
    });
    expect(changed).toEqual([
      [['userAddress', ACCOUNTS.wallet]],
      [['recipientAddress', ACCOUNTS.wallet]],
      [['slippageTolerance', '0.01']],
      [['sellAmount', '4']],
      [['sellToken', WRAPPED]],
    ]);
  });

  test('a recipient or a tolerance that is already set -> unset', () => {
    const set: TradeRequest = { ...request, recipient: `0x${'b'.repeat(40)}`, slippageBps: 50 };
    const [, unset, none] = varyRequests([set, set, set], WRAPPED, ACCOUNTS.wallet);
    expect([unset?.recipient, none?.slippageBps]).toEqual([undefined, 0]);
  });

  test('no known wrapped token -> unchanged; no calldata -> omitted', () => {
    expect(varyRequests(requests, undefined, ACCOUNTS.wallet)[4]).toEqual(request);
    expect(
      varyRequests([{ ...request, slippageBps: undefined }], WRAPPED, ACCOUNTS.wallet),
    ).toEqual([]);
  });
});

test('a request with and without a parameter -> the same notation otherwise', () => {
  const textOf = (each: TradeRequest, without: string) => {
    const { query } = targetInNotation(each);
    if (typeof query === 'string') throw new Error('written as text');
    return String(query.filter(([name]) => name !== without));
  };
  const texts = Array.from({ length: 50 }, (_, notationSeed) => {
    const paid = { ...request, notationSeed, recipient: USER };
    expect(textOf(paid, 'recipientAddress')).toBe(textOf({ ...request, notationSeed }, ''));
    expect(textOf({ ...paid, useRfq: true }, 'useRfq')).toBe(textOf(paid, ''));
    return textOf(paid, '').replace(/0x[0-9a-f]*/gi, '');
  });
  expect(new Set(texts).size).toBeGreaterThan(40);
});
