import { expect, test } from 'vitest';
import { loadEmbeddedMarkets } from '../embedded-markets.ts';
import type { Market, MarketChange } from '../market.ts';
import { followMarket } from './follow-market.ts';

const [first, second] = loadEmbeddedMarkets() as [Market, Market];
const { chainId } = first;

/** Follows a market whose looks, a second apart, come out as told, and returns the second of each change. */
async function follow(...looks: readonly (Market | 'same' | 'fails')[]) {
  const changes: (MarketChange & { readonly second: number })[] = [];
  const ending = new AbortController();
  const left = [...looks];
  let now = 0;
  const readNext = async () => {
    const look = left.shift();
    if (look === undefined) ending.abort();
    if (look === 'fails') throw new Error('no answer');
    return look === 'same' ? undefined : look;
  };
  const onChange = (change: MarketChange) => changes.push({ ...change, second: now / 1000 });
  await followMarket({ market: first, readNext }, onChange, ending.signal, {
    pollMs: 1000,
    lostAfterMs: 3000,
    clock: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  });
  return changes;
}

const moved = (at: number, market: Market) => ({ kind: 'moved', chainId, market, second: at });
const lost = (at: number) => ({ kind: 'lost', chainId, why: 'no answer', second: at });

test('a new block -> told once', async () => {
  expect(await follow('same', second, 'same')).toEqual([moved(2, second)]);
});

test('no answer for as long as is allowed -> lost, once; an answer -> the market again', async () => {
  const fails = Array.from({ length: 5 }, () => 'fails' as const);
  expect(await follow(second, ...fails, 'same', 'same')).toEqual([
    moved(1, second),
    lost(4),
    moved(7, second),
  ]);
});

test('answers between failures -> never lost', async () => {
  expect(await follow('fails', 'fails', 'same', 'fails', 'fails', 'same')).toEqual([]);
});
