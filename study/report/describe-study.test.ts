import { expect, test } from 'vitest';
import type { Duel } from '../model/metrics.ts';
import { describeLeader } from './describe-study.ts';
import { sampleStudy } from './sample-study.testing.ts';

const duel = (part: Partial<Duel>): Duel => ({
  ...{ one: 'a', other: 'b', trades: 40, ties: 10 },
  ...part,
});

test.each<[what: string, Duel, expected: string]>([
  [
    'the first wins nearly all',
    duel({
      winRate: { value: 0.9, low: 0.74, high: 0.97, count: 30 },
      medianMarginBps: { value: 1.2, count: 40 },
    }),
    'a is ahead of b: better in 27 of 30 trades (10 ties), by a median of +1.2 bps after gas',
  ],
  [
    'the other wins nearly all',
    duel({
      winRate: { value: 0.1, low: 0.03, high: 0.26, count: 30 },
      medianMarginBps: { value: -1.2, count: 40 },
    }),
    'b is ahead of a: better in 27 of 30 trades (10 ties), by a median of +1.2 bps after gas',
  ],
  [
    'an interval that includes one half',
    duel({ winRate: { value: 0.6, low: 0.42, high: 0.75, count: 30 }, ties: 1, trades: 31 }),
    'neither a nor b is clearly ahead: better in 18 and 12 trades (1 tie)',
  ],
  ['ties only', duel({ trades: 40, ties: 40 }), 'a and b are equal in all 40 trades'],
  ['no trade', duel({ trades: 0, ties: 0 }), 'a and b settled no trade that can be compared'],
])('%s -> %s', (_, of, expected) => {
  expect(describeLeader([], [of])).toBe(expected);
});

test('one service -> the value of its quotes', () => {
  const { metrics } = sampleStudy();
  expect(describeLeader(metrics.slice(0, 1), [])).toMatch(
    /^[\d.]+% of \d+ plans of .* settled, received compared with quoted is .* bps \(median\)$/,
  );
});
