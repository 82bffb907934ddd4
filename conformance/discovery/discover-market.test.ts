import { describe, expect, test } from 'vitest';
import { exchangeWith } from '../client/exchange.testing.ts';
import type { ChainInfo, RouterName, TokenInfo } from '../contract/resources.ts';
import { discoverMarket, MANY_PAIRS } from './discover-market.ts';

const USD = `0x${'1'.repeat(40)}`;
const WRAPPED = `0x${'2'.repeat(40)}`;
const OTHER = `0x${'3'.repeat(40)}`;
const E_ALIAS = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const PRICES: Readonly<Record<string, number>> = { [USD]: 1, [WRAPPED]: 2_000, [OTHER]: 5 };

const listed = (address: string, symbol: string, decimals: number): TokenInfo => ({
  address,
  name: symbol,
  symbol,
  decimals,
  metadata: { logoURI: 'https://e.org/logo' },
});

const infoOf = (...names: RouterName[]): ChainInfo => ({
  chainId: 7,
  name: 'Seven',
  usdTokenAddress: USD,
  wrappedNativeTokenAddress: WRAPPED,
  routers: names.map((name) => ({
    name,
    liquiditySources: ['V2'],
    deployedAddress: USD,
    hasEncoder: true,
  })),
});

async function discoverOn(
  service: {
    readonly info?: ChainInfo;
    readonly tokens?: readonly TokenInfo[];
    readonly decimals?: number;
    readonly prices?: Readonly<Record<string, number>>;
    readonly answers?: (query: URLSearchParams) => boolean;
    readonly rejection?: number;
    readonly user?: string | undefined;
    /** True if the service sends amounts as numbers. */
    readonly unreadable?: boolean;
  } = {},
) {
  const {
    decimals = 6,
    prices = PRICES,
    info = infoOf('default-router'),
    answers = () => true,
    rejection = 400,
    user,
    unreadable = false,
  } = service;
  const requests: URLSearchParams[] = [];
  const market = await discoverMarket({
    chainId: 7,
    info,
    tokens: service.tokens ?? [USD, WRAPPED, OTHER].map((each) => listed(each, 'T', decimals)),
    share: 1,
    breadth: MANY_PAIRS,
    user,
    get: async ({ query }) => {
      const params = new URLSearchParams(Object.fromEntries([...query].map((pair) => [...pair])));
      requests.push(params);
      const [sell = '', buy = ''] = ['sellToken', 'buyToken'].map((name) => {
        const address = params.get(name) ?? '';
        return /^0x(0+|e+)$/i.test(address) ? WRAPPED : address;
      });
      const amount = params.get('sellAmount') ?? '';
      const usd = (Number(amount) / 10 ** decimals) * (prices[sell] ?? 0);
      if (sell === buy || usd < 0.01 || usd > 1e6 || !answers(params)) {
        return exchangeWith({}, { status: rejection });
      }
      const token = (address: string) => ({ address, decimals, usdPrice: prices[address] });
      const bought = Math.round((usd / (prices[buy] ?? 1)) * 10 ** decimals);
      return exchangeWith({
        buy: { amount: unreadable ? bought : String(bought) },
        routes: [{}],
        nativeTokenUsdPrice: 2_000,
        tokens: [token(sell), token(buy)],
      });
    },
  });
  return { market, requests };
}

describe('discoverMarket', () => {
  test('a pair and an amount suffice -> no required parameters', async () => {
    const { market, requests } = await discoverOn();
    expect(market.requiredParameters).toBeUndefined();
    expect(market.pairs.length).toBeGreaterThan(5);
    expect(requests.some((query) => query.has('useRfq'))).toBe(false);
  });

  test('a chain without the default router -> another router is required', async () => {
    const { market } = await discoverOn({
      info: infoOf('universal-router', 'service-router'),
      answers: (query) => query.get('router') === 'universal-router',
    });
    expect(market.requiredParameters).toEqual([['router', 'universal-router']]);
    expect(market.pairs.length).toBeGreaterThan(5);
    expect([...market.routers]).toEqual([['universal-router', 'calldata']]);
  });

  test.each([undefined, OTHER])(
    'calldata only for %s -> requested for it, or the rejection is recorded',
    async (user) => {
      const { market, requests } = await discoverOn({
        user,
        answers: (query) =>
          query.get('includeCalldata') !== 'true' || query.get('userAddress') === OTHER,
      });
      expect(market.user).toBe(user);
      expect([...market.routers]).toEqual([
        ['default-router', user === undefined ? 'plan' : 'calldata'],
      ]);
      expect(market.calldataRejection).toBe(user === undefined ? '400 "{}"' : undefined);
      expect(requests.some((query) => query.get('userAddress') === OTHER)).toBe(user === OTHER);
    },
  );

  test('only market makers trade -> `useRfq` is required in every request', async () => {
    const { market } = await discoverOn({ answers: (query) => query.get('useRfq') === 'true' });
    expect(market.requiredParameters).toEqual([['useRfq', 'true']]);
    expect([...market.routers.keys()]).toEqual(['default-router']);
  });

  test('routers under other names -> the default router is still requested, and recorded', async () => {
    const { market } = await discoverOn({ info: infoOf() });
    expect(market.requestedRouters).toEqual(['default-router']);
    expect([...market.routers]).toEqual([['default-router', 'calldata']]);
  });

  test('only market makers trade, through a router other than the default -> both are required', async () => {
    const { market } = await discoverOn({
      info: infoOf('service-router'),
      answers: (query) =>
        query.get('useRfq') === 'true' && query.get('router') === 'service-router',
    });
    expect(market.requiredParameters).toEqual([
      ['router', 'service-router'],
      ['useRfq', 'true'],
    ]);
    expect([...market.routers.keys()]).toEqual(['service-router']);
  });

  test('nothing trades -> no pair, and no required parameters', async () => {
    const { market } = await discoverOn({ answers: () => false });
    expect([market.pairs.length, market.requiredParameters]).toEqual([0, undefined]);
    expect(market.pairsWithoutPlan.length).toBeGreaterThan(5);
  });

  test('unreadable amounts -> pairs with buy amounts estimated from prices', async () => {
    const { market } = await discoverOn({ unreadable: true });
    expect(market.pairs.length).toBeGreaterThan(5);
    expect(market.hasUnreadableAmounts).toBe(true);
    expect(market.pairs.every(({ buyAmount }) => buyAmount > 0n)).toBe(true);
    expect((await discoverOn()).market.hasUnreadableAmounts).toBeUndefined();
  });

  test('500 for every trade -> no pair counts as rejected', async () => {
    const { market } = await discoverOn({ answers: () => false, rejection: 500 });
    expect([market.pairs.length, market.pairsWithoutPlan.length]).toEqual([0, 0]);
  });

  test.each([E_ALIAS, `0x${'0'.repeat(40)}`])(
    '%s in the list -> traded as the native token',
    async (alias) => {
      const tokens = [alias, USD, WRAPPED].map((each) => listed(each, 'T', 6));
      const { market } = await discoverOn({ tokens });
      const sides = market.pairs.flatMap(({ sell, buy }) => [sell, buy]);
      expect(sides.filter(({ address }) => address === alias && alias === E_ALIAS)).toEqual([]);
      expect(sides.some(({ native }) => native)).toBe(true);
      expect(
        sides.filter(({ native, address }) => native !== /^0x(0+|e+)$/i.test(address)),
      ).toEqual([]);
    },
  );

  test('more pairs than discovery tries -> all untried pairs are listed once in each direction', async () => {
    const many = Array.from(
      { length: 12 },
      (_, index) => `0x${(index + 1).toString(16).padStart(40, '5')}`,
    );
    const tokens = [USD, WRAPPED, ...many].map((each) => listed(each, 'T', 6));
    const { market } = await discoverOn({ tokens });
    const key = ({ sell, buy }: { sell: { address: string }; buy: { address: string } }) =>
      `${sell.address} ${buy.address}`;
    const { pairs, pairsWithoutPlan, untriedPairs = [] } = market;
    const withoutPlan = pairsWithoutPlan.map(([sell, buy]) => key({ sell, buy }));
    const all = [...[...pairs, ...untriedPairs].map(key), ...withoutPlan];
    expect(new Set(all).size).toBe(all.length);
    // Fourteen tokens and the native token; it is not traded for its wrapped form.
    expect(all).toHaveLength(15 * 14 - 2);
  });

  test('addresses that are not hex -> no hex address is requested', async () => {
    const other = (hex: string) => `So1${hex.slice(10)}`;
    const info = {
      ...infoOf('default-router'),
      usdTokenAddress: other(USD),
      wrappedNativeTokenAddress: other(WRAPPED),
    };
    const { market, requests } = await discoverOn({
      info,
      tokens: [USD, WRAPPED, OTHER].map((each) => listed(other(each), 'T', 6)),
      prices: Object.fromEntries(Object.entries(PRICES).map(([hex, usd]) => [other(hex), usd])),
    });
    expect(market.addresses).toBe('other');
    expect(market.pairs.length).toBeGreaterThan(3);
    expect([...market.routers]).toEqual([['default-router', 'plan']]);
    expect(requests.filter((query) => /0x/.test(String(query)))).toEqual([]);
  });

  test('a token that is both the USD and the wrapped native token -> never traded for itself', async () => {
    const info = { ...infoOf('default-router'), wrappedNativeTokenAddress: USD };
    const { requests } = await discoverOn({ info, tokens: [] });
    expect(requests.filter((query) => query.get('sellToken') === query.get('buyToken'))).toEqual(
      [],
    );
  });

  test('decimals missing from the lists -> read from plans, also for the native token', async () => {
    const { market } = await discoverOn({ tokens: [], decimals: 9 });
    const decimals = market.pairs.flatMap(({ sell, buy }) => [sell.decimals, buy.decimals]);
    expect(new Set(decimals)).toEqual(new Set([9]));
    expect(market.pairs.some(({ sell }) => sell.native)).toBe(true);
  });
});
