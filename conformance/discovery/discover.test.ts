import { expect, test } from 'vitest';
import { exchangeWith } from '../client/exchange.testing.ts';
import type { RequestTarget } from '../client/request.ts';
import { discover } from './discover.ts';

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
