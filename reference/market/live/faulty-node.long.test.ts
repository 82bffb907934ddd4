import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRandom } from '../../../conformance/model/random.ts';
import { concentratedPool } from '../../planner/pools/pools.testing.ts';
import { sqrtRatioAtTick } from '../../planner/pools/tick-math.ts';
import type { Market } from '../market.ts';
import { FAULTS, type Fault, fetchWith, staleState } from './faulty-node.testing.ts';
import { followMarket } from './follow-market.ts';
import { openLiveMarket } from './live-market.ts';
import {
  type SimulatedBlock,
  SimulatedChain,
  type SimulatedPool,
  TICK_SPACING,
} from './simulated-chain.testing.ts';

const isLong = process.env['SWAPCHECK_LONG'] === '1';
const SEEDS = Array.from({ length: isLong ? 200 : 3 }, (_, seed) => seed + 1);
const SECONDS = 100;
const CALM_S = 30;
const BLOCK_S = 2;
const MAX_BLOCK_AGE_S = 15;
const START_S = 1_700_000_000;

afterEach(() => {
  vi.useRealTimers();
});

type Outcome = {
  /** Markets that differ from the true state at their block. */
  readonly wrong: readonly string[];
  /** Seconds since the start at which the quoted market was too old. */
  readonly stale: readonly number[];
  readonly quotedS: number;
  readonly losses: readonly string[];
  readonly last: Market | undefined;
  readonly truth: Market | undefined;
};

/** The seed and a fake clock determine the faults. */
async function run(seed: number, faults: readonly Fault[]): Promise<Outcome> {
  vi.useFakeTimers({ now: START_S * 1000 });
  const random = createRandom(seed);
  const chain = new SimulatedChain({ pairs: 2, concentrated: 10, timestamp: START_S });
  let now: { fault: Fault; since: SimulatedBlock } = { fault: FAULTS.none, since: chain.head };
  const ending = new AbortController();
  const outcome = {
    wrong: [] as string[],
    stale: [] as number[],
    quotedS: 0,
    losses: [] as string[],
  };
  let quoted: Market | undefined;

  const opening = openLiveMarket(chain.file, 'http://node.test', {
    fetch: fetchWith(chain, random, () => now),
    signal: ending.signal,
  });
  await vi.advanceTimersByTimeAsync(2000);
  const live = await opening;
  quoted = live.market;
  void followMarket(
    live,
    (change) => {
      quoted = change.kind === 'moved' ? change.market : undefined;
      if (change.kind === 'lost') outcome.losses.push(change.why);
      else if (!isDeepStrictEqual(quoted, chain.marketAt(change.market.block.hash))) {
        outcome.wrong.push(`${secondOf()} s: block ${change.market.block.number}`);
      }
    },
    ending.signal,
    { maxBlockAgeS: MAX_BLOCK_AGE_S },
  );
  const timers = [
    setInterval(() => mineSome(chain, random), BLOCK_S * 1000),
    setInterval(() => {
      if (quoted === undefined) return;
      outcome.quotedS++;
      const ageS = Date.now() / 1000 - quoted.block.timestamp;
      if (ageS > MAX_BLOCK_AGE_S + 0.25) outcome.stale.push(secondOf());
    }, 1000),
  ];
  while (secondOf() < SECONDS) {
    const fault = faults[Math.floor(random() * faults.length)] ?? FAULTS.none;
    now = { fault: random() < 0.4 ? FAULTS.none : fault, since: chain.head };
    await vi.advanceTimersByTimeAsync(1000 + Math.floor(random() * 24_000));
  }
  now = { fault: FAULTS.none, since: chain.head };
  await vi.advanceTimersByTimeAsync(CALM_S * 1000);
  for (const timer of timers) clearInterval(timer);
  await vi.advanceTimersByTimeAsync(2000);
  ending.abort();
  return { ...outcome, last: quoted, truth: chain.marketAt(chain.head.hash) };
}

const secondOf = () => Math.round(Date.now() / 1000 - START_S);

function mineSome(chain: SimulatedChain, random: () => number): void {
  const back = random() < 0.1 ? 1 + Math.floor(random() * 3) : 0;
  let block = chain.before(chain.head, back);
  for (let left = back; left >= 0; left--) {
    const timestamp = left === 0 ? Math.floor(Date.now() / 1000) : block.timestamp + 1;
    const pools = block.pools.map((pool) => (random() < 0.3 ? changed(pool, random) : pool));
    block = chain.mine(pools, block, timestamp);
  }
}

const RANGES = [
  [-4, 3],
  [-2, 1],
  [2, 5],
] as const;

function changed(pool: SimulatedPool, random: () => number): SimulatedPool {
  const amount = BigInt(1 + Math.floor(random() * 1e6)) * 10n ** 12n;
  if (pool.family === 'constant-product') {
    return { ...pool, reserve0: amount, reserve1: 2n * amount };
  }
  if (random() < 0.5) {
    const tick = Math.floor((random() - 0.5) * 1e5);
    const below = pool.ticks.filter(({ index }) => index <= tick);
    const liquidity = below.reduce((sum, { liquidityNet }) => sum + liquidityNet, 0n);
    return { ...pool, tick, sqrtPriceX96: sqrtRatioAtTick(tick), liquidity };
  }
  const positions = RANGES.filter(() => random() < 0.5).map(([lower, upper]) => ({
    ...{ lower: lower * TICK_SPACING, upper: upper * TICK_SPACING, liquidity: amount },
  }));
  const { ticks, liquidity } = concentratedPool(positions, pool.sqrtPriceX96);
  return { ...pool, ticks, liquidity };
}

describe('a market read from a node with every fault', () => {
  test.each(SEEDS)(
    'seed %i -> quotes the true state of a block or nothing, and recovers',
    async (seed) => {
      const { wrong, stale, quotedS, last, truth } = await run(seed, Object.values(FAULTS));
      expect({ wrong, stale }).toEqual({ wrong: [], stale: [] });
      expect(quotedS).toBeGreaterThan(CALM_S / 2);
      expect(last).toEqual(truth);
    },
  );

  test('a node that returns the state of another block -> wrong markets are detected, and the next block is right', async () => {
    const { wrong, last, truth } = await run(1, [staleState]);
    expect(wrong).not.toEqual([]);
    expect(last).toEqual(truth);
  });
});
