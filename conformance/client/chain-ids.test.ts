import { expect, test } from 'vitest';
import { discover } from '../discovery/discover.ts';
import { tinyAnswer } from '../runner/tiny-service.testing.ts';
import { parseChainId } from './access-options.ts';
import { ChainIds } from './chain-ids.ts';
import { createClient } from './client.ts';
import { inProcess } from './in-process.testing.ts';

const LARGE = '9007199254740993';

async function requestedIds(listed: string, chains: readonly string[] = []) {
  const ids = chains.map(parseChainId);
  const requested = new Set<string | null>();
  const transport = inProcess((url) => {
    if (url.pathname.endsWith('/chains')) return { body: listed };
    requested.add(url.searchParams.get('chainId'));
    return tinyAnswer(url);
  });
  const client = createClient({ transport, apiKey: 'k', chains: ids });
  const { signal } = new AbortController();
  const get = (target: Parameters<typeof client.send>[0]) => client.send(target, signal);
  const facts = await discover({ get, chains: ids.map(Number) });
  return { requested: [...requested], facts };
}

test('a listed chain id above 2^53 -> requests contain its exact digits, with or without other chains', async () => {
  const list = (...ids: string[]) => `[${ids.map((id) => `{"chainId": ${id},"name":"A"}`)}]`;
  expect((await requestedIds(list(LARGE, '7'))).requested).toEqual([LARGE, '7']);
  const { requested, facts } = await requestedIds(list(LARGE, '7'), [LARGE]);
  expect(requested).toEqual([LARGE]);
  expect(facts.markets.get(Number(LARGE))?.pairs.length).toBeGreaterThan(0);
});

test('--chain for a service that lists no chains -> requests contain its exact digits', async () => {
  expect((await requestedIds('[]', [LARGE])).requested).toEqual([LARGE]);
});

test.each(['-1', '1.5', '0x1', ''])('the chain id %j -> rejected', (text) => {
  expect(() => parseChainId(text)).toThrow('Expected a whole number');
});

test('other parameters, and other ids -> unchanged', () => {
  const ids = new ChainIds([BigInt(LARGE), 10n ** 30n + 1n]);
  expect(ids.write('?chainId=9007199254740994&x=9007199254740992')).toBe(
    '?chainId=9007199254740994&x=9007199254740992',
  );
  expect(ids.write('?chainId=1e%2B30&a=b')).toBe(`?chainId=${10n ** 30n + 1n}&a=b`);
});
