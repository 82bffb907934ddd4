import { describe, expect, test } from 'vitest';
import type { RoutingRequest } from '../planner/graph/plan.ts';
import {
  doublePlanner,
  SMALL_MARKET,
  spellingEncoders,
  USD,
  WETH,
} from './small-market.testing.ts';
import { warmUp } from './warm-up.ts';

const PLAN_MS = 5;

/** Begins a warm-up on a clock that goes on while plans are made, or is told to. */
function begin(firstMs: number) {
  const planned: RoutingRequest[] = [];
  const time = { now: 0 };
  let waiting: (() => void) | undefined;
  const end = warmUp([SMALL_MARKET], {
    planner: (market, request) => {
      planned.push(request);
      time.now += PLAN_MS;
      return doublePlanner(market, request);
    },
    encoders: spellingEncoders,
    firstMs,
    clock: () => time.now,
    later: (run) => {
      waiting = run;
      return () => {
        waiting = undefined;
      };
    },
  });
  /** Lets time go by, after which the next slice comes; tells whether there was one. */
  const wait = (ms: number): boolean => {
    const run = waiting;
    waiting = undefined;
    time.now += ms;
    run?.();
    return run !== undefined;
  };
  return { planned, wait, end };
}

describe('warmUp', () => {
  test('a market -> each pair that pools trade, both ways, both kinds, for each router', () => {
    const { planned, wait } = begin(0);
    while (wait(4));
    expect(planned).toHaveLength(2 * 2 * 2 * 2);
    const kinds = planned.map(({ sellToken, swapKind, constraints }) =>
      [sellToken === WETH ? 'WETH' : 'USD', swapKind, constraints.topology].join(' '),
    );
    expect(new Set(kinds).size).toBe(2 * 2 * 2);
    expect(planned).toContainEqual({
      sellToken: USD,
      buyToken: WETH,
      swapKind: 'exact-output',
      amount: 2n * 10n ** 6n,
      constraints: { topology: 'graph', sources: new Set(['uniswap-v2']) },
    });
  });

  test('the first slice -> as long as it may be; later ones -> one trade both ways', () => {
    const { planned, wait } = begin(15);
    expect(planned).toHaveLength(4);
    wait(4);
    expect(planned).toHaveLength(6);
  });

  test('a slice that comes late, for other work -> plans nothing then, and goes on later', () => {
    const { planned, wait } = begin(1);
    wait(4 + 6);
    expect(planned).toHaveLength(2);
    wait(4);
    expect(planned).toHaveLength(4);
  });

  test('ended -> nothing more', () => {
    const { planned, wait, end } = begin(1);
    end();
    expect(wait(4)).toBe(false);
    expect(planned).toHaveLength(2);
  });
});
