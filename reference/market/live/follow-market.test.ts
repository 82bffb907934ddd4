import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadEmbeddedMarkets } from '../embedded-markets.ts';
import type { Market, MarketChange } from '../market.ts';
import { type FollowOptions, followMarket } from './follow-market.ts';

const [opened] = loadEmbeddedMarkets() as [Market];
const { chainId } = opened;

const at = (second: number): Market => ({
  ...opened,
  block: { ...opened.block, number: second, timestamp: second },
});
const first = at(0);
const second = at(2);

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Follows a market whose looks, a second apart, come out as told, and returns the second of each change. */
async function follow(looks: readonly (Market | 'same' | 'fails')[], options: FollowOptions = {}) {
  const changes: (MarketChange & { readonly second: number })[] = [];
  const ending = new AbortController();
  const left = [...looks];
  const readNext = async () => {
    const look = left.shift() ?? 'same';
    if (look === 'fails') throw new Error('no answer');
    return look === 'same' ? undefined : look;
  };
  const onChange = (change: MarketChange) => changes.push({ ...change, second: Date.now() / 1000 });
  const following = followMarket({ market: first, readNext }, onChange, ending.signal, {
    pollMs: 1000,
    lostAfterMs: 3000,
    ...options,
  });
  await vi.advanceTimersByTimeAsync(looks.length * 1000);
  ending.abort();
  await vi.advanceTimersByTimeAsync(1000);
  await following;
  return changes;
}

const moved = (at: number, market: Market) => ({ kind: 'moved', chainId, market, second: at });
const lost = (at: number, why = 'no answer') => ({ kind: 'lost', chainId, why, second: at });

test('a new block -> told once', async () => {
  expect(await follow(['same', second, 'same'])).toEqual([moved(2, second)]);
});

test('no answer for as long as is allowed -> lost, once; an answer -> the market again', async () => {
  const fails = Array.from({ length: 5 }, () => 'fails' as const);
  expect(await follow([second, ...fails, 'same', 'same'])).toEqual([
    moved(1, second),
    lost(4),
    moved(7, second),
  ]);
});

test('answers between failures -> never lost', async () => {
  const looks = ['fails', 'fails', 'same', 'fails', 'fails', 'same'] as const;
  expect(await follow(looks, { lostAfterMs: 3001 })).toEqual([]);
});

test('a head that stands still -> lost when its block is too old, until there is a newer one', async () => {
  const looks = ['same', 'same', second, 'same', 'same', 'same', 'same', at(8)] as const;
  expect(await follow(looks, { maxBlockAgeS: 2 })).toEqual([
    lost(2.25, 'its latest block is 2 s old'),
    moved(3, second),
    lost(4.25, 'its latest block is 2 s old'),
    moved(8, at(8)),
  ]);
});

test('a latest block that is too old from the start -> lost at once, and not quoted while it catches up', async () => {
  vi.setSystemTime(10_000);
  expect(await follow([second, at(8), at(11)], { maxBlockAgeS: 5 })).toEqual([
    lost(10, 'its latest block is 10 s old'),
    moved(12, at(8)),
    moved(13, at(11)),
  ]);
});
