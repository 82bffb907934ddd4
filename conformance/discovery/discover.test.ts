import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { exchangeWith } from '../client/exchange.testing.ts';
import type { RequestTarget } from '../client/request.ts';
import { RunStopped } from '../client/scheduler.ts';
import { modelSession } from '../model/model-service.testing.ts';
import {
  type DiscoveryStopped,
  describeUnexplored,
  discover,
  readChainInfo,
  readList,
} from './discover.ts';

function serviceOf(chains: string) {
  const requested: string[] = [];
  const get = async ({ path, query }: RequestTarget) => {
    requested.push(`${path}?${[...query].map((pair) => [...pair].join('=')).join('&')}`);
    return exchangeWith(path.endsWith('/chains') ? chains : '[]');
  };
  return { get, requested };
}

const chains = '[{"chainId":7,"name":"Seven"},{"chainId":8,"name":"Eight"}]';

test('chains named by the user -> only those are requested', async () => {
  const { get, requested } = serviceOf(chains);
  const facts = await discover({ get, chains: [8, 8] });
  expect([...facts.markets.keys()]).toEqual([8]);
  expect(facts.chains.length).toBe(2);
  expect(requested.filter((line) => line.includes('chainId=7'))).toEqual([]);
});

test('/chains that cannot be read -> chains named by the user are requested', async () => {
  const { get } = serviceOf('{}');
  expect([...(await discover({ get, chains: [9] })).markets.keys()]).toEqual([9]);
});

describe('a service that lists 100,000 chains', () => {
  const many = JSON.stringify(
    Array.from({ length: 100_000 }, (_, index) => ({ chainId: index + 1, name: 'Chain' })),
  );

  test('-> 200 are explored, a few at once, and the others are counted', async () => {
    const { get, requested } = serviceOf(many);
    let [open, mostOpen] = [0, 0];
    const counting = async (target: RequestTarget) => {
      mostOpen = Math.max(mostOpen, ++open);
      await nextTurn();
      open--;
      return get(target);
    };
    const facts = await discover({ get: counting, chains: [], depth: 'lookups' });
    expect([requested.length, facts.markets.size]).toEqual([1 + 2 * 200, 200]);
    expect(mostOpen).toBeLessThanOrEqual(16);
    expect(facts.chains).toHaveLength(100_000);
    expect(describeUnexplored(facts)).toBe(
      '99800 of the chains that /chains lists, since at most 200 are explored: pass --chain to name the chains to request',
    );
  });

  test('chains named by the user -> only those are explored, and no others are counted', async () => {
    const { get } = serviceOf(many);
    const facts = await discover({ get, chains: [99_999], depth: 'lookups' });
    expect([...facts.markets.keys()]).toEqual([99_999]);
    expect(describeUnexplored(facts)).toBeUndefined();
  });
});

test('lookups of more than 64 MiB in total -> the rest is discarded', async () => {
  const token = { address: '0x1', name: 'One', symbol: 'ONE', decimals: 18 };
  const padded = exchangeWith(`${JSON.stringify([token])}${' '.repeat(15 * 2 ** 20)}`);
  const listed = Array.from({ length: 8 }, (_, index) => ({ chainId: index + 1 }));
  const get = async ({ path }: RequestTarget) =>
    path.endsWith('/tokens') ? padded : exchangeWith(path.endsWith('/chains') ? listed : {});
  const { tokens, markets } = await discover({ get, chains: [], depth: 'lookups' });
  expect([tokens.size, markets.size]).toEqual([4, 8]);
});

test.each(['chainInfo', 'tokens', 'swap'])(
  '/%s is no longer requested -> throws, with the facts that the others returned',
  async (operation) => {
    const { get } = modelSession();
    const discovering = discover({
      chains: [],
      get: async (target) => {
        if (target.path.endsWith(`/${operation}`)) throw new RunStopped('it does not reply');
        return get(target);
      },
    });
    const { message, facts } = await discovering.then(
      () => expect.unreachable(),
      (error: DiscoveryStopped) => error,
    );
    expect(message).toBe('it does not reply');
    expect([facts.chains.length, facts.markets.size]).toEqual([2, 2]);
    expect([facts.chainInfo.size > 0, facts.tokens.size > 0]).toEqual([
      operation !== 'chainInfo',
      operation !== 'tokens',
    ]);
    expect([...facts.markets.values()].some(({ pairs }) => pairs.length > 0)).toBe(
      operation !== 'swap',
    );
  },
);

test.each([
  ['chains', 1],
  ['lookups', 5],
] as const)('depth %s -> %i requests, and every chain is in scope', async (depth, requests) => {
  const { get, requested } = serviceOf(chains);
  const facts = await discover({ get, chains: [], depth });
  expect(requested).toHaveLength(requests);
  expect([...facts.markets.keys()]).toEqual([7, 8]);
});

test('a field that discovery does not need is malformed -> the entry is read', () => {
  const token = { address: '0x1', name: 'One', symbol: 'ONE', decimals: 18 };
  expect(
    readList('chains', [{ chainId: 7 }, { chainId: 8, name: null }, { name: 'Nine' }]),
  ).toEqual([{ chainId: 7 }, { chainId: 8, name: null }]);
  expect(readList('tokens', [token, { ...token, decimals: '18' }, null])).toEqual([token]);
});

test('a router with a malformed proxy -> read without the proxy; with another malformed field -> only its name', () => {
  const router = {
    ...{ name: 'default-router', liquiditySources: [], deployedAddress: '0x1', hasEncoder: true },
  } as const;
  const info = { chainId: 7, name: '', usdTokenAddress: '0x2', wrappedNativeTokenAddress: '0x3' };
  const malformed = { ...router, name: 'service-router', hasEncoder: 'yes' };
  const routers = [{ ...router, tokenProxyAddress: null }, malformed, null];
  expect(readChainInfo({ ...info, routers })).toEqual({
    ...info,
    routers: [router],
    unreadableRouters: ['service-router'],
  });
});
