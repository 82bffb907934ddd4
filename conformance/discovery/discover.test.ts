import { expect, test } from 'vitest';
import { exchangeWith } from '../client/exchange.testing.ts';
import type { RequestTarget } from '../client/request.ts';
import { discover, readChainInfo, readList } from './discover.ts';

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

test('a router has a malformed field -> is read without a malformed proxy, otherwise only its name', () => {
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
