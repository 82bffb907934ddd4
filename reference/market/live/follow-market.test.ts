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

const HANGS_S = 20;
const SHORT_INTERVALS = { pollMs: 1000, lostAfterMs: 3000 };

/**
 * Polls once per second. Returns each reported change, with the second in which it was reported.
 */
async function follow(
  polls: readonly (Market | 'same' | 'fails' | 'hangs')[],
  options: FollowOptions = SHORT_INTERVALS,
) {
  const changes: (MarketChange & { readonly second: number })[] = [];
  const ending = new AbortController();
  const left = [...polls];
  const readNext = async () => {
    const poll = left.shift() ?? 'same';
    if (poll === 'hangs') await new Promise((resolve) => setTimeout(resolve, HANGS_S * 1000));
    if (poll === 'fails' || poll === 'hangs') throw new Error('no reply');
    return poll === 'same' ? undefined : poll;
  };
  const onChange = (change: MarketChange) => changes.push({ ...change, second: Date.now() / 1000 });
  const live = { market: first, readNext };
  const following = followMarket(live, onChange, ending.signal, options);
  const hanging = polls.filter((poll) => poll === 'hangs').length;
  await vi.advanceTimersByTimeAsync((polls.length + hanging * HANGS_S) * 1000);
  ending.abort();
  await vi.advanceTimersByTimeAsync(1000);
  await following;
  return changes;
}

const moved = (at: number, market: Market) => ({ kind: 'moved', chainId, market, second: at });
const lost = (at: number, why = 'no reply') => ({ kind: 'lost', chainId, why, second: at });

test('a new block -> reported once', async () => {
  expect(await follow(['same', second, 'same'])).toEqual([moved(2, second)]);
});

test('no reply for the maximum time -> reported as lost once; a later reply -> the market is reported again', async () => {
  const fails = Array.from({ length: 5 }, () => 'fails' as const);
  expect(await follow([second, ...fails, 'same', 'same'])).toEqual([
    moved(1, second),
    lost(4),
    moved(7, second),
  ]);
});

test('a poll that hangs -> lost during the poll, by default after 15 s', async () => {
  expect(await follow([second, 'hangs', 'same'], { pollMs: 1000 })).toEqual([
    moved(1, second),
    lost(16, 'it does not respond'),
    moved(23, second),
  ]);
});

test('replies between failures -> never lost', async () => {
  const polls = ['fails', 'fails', 'same', 'fails', 'fails', 'same'] as const;
  expect(await follow(polls, { ...SHORT_INTERVALS, lostAfterMs: 3001 })).toEqual([]);
});

test('a head that does not move -> lost when its block is too old, until a newer block arrives', async () => {
  const polls = ['same', 'same', second, 'same', 'same', 'same', 'same', at(8)] as const;
  expect(await follow(polls, { ...SHORT_INTERVALS, maxBlockAgeS: 2 })).toEqual([
    lost(2.25, 'its latest block is 2 s old'),
    moved(3, second),
    lost(4.25, 'its latest block is 2 s old'),
    moved(8, at(8)),
  ]);
});

test('a latest block that is too old from the start -> lost immediately, and not reported while the node catches up', async () => {
  vi.setSystemTime(10_000);
  expect(await follow([second, at(8), at(11)], { ...SHORT_INTERVALS, maxBlockAgeS: 5 })).toEqual([
    lost(10, 'its latest block is 10 s old'),
    moved(12, at(8)),
    moved(13, at(11)),
  ]);
});
