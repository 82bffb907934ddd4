import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { RoutingRequest } from '../routing/plan.ts';
import type { Planner } from './options.ts';
import {
  doublePlanner,
  SMALL_MARKET,
  spellingEncoders,
  USD,
  WETH,
} from './small-market.testing.ts';
import { warmUp } from './warm-up.ts';

/** A planner that notes what it was asked. */
function notingPlanner() {
  const asked: RoutingRequest[] = [];
  const planner: Planner = (market, request) => {
    asked.push(request);
    return doublePlanner(market, request);
  };
  return { asked, planner };
}

describe('warmUp', () => {
  test('a market -> each pair that pools trade, both ways, both kinds, for each router', async () => {
    const { asked, planner } = notingPlanner();
    warmUp([SMALL_MARKET], { planner, encoders: spellingEncoders, firstMs: 0, pauseMs: 0 });
    await expect.poll(() => asked.length).toBe(2 * 2 * 2 * 2);
    const kinds = asked.map(({ sellToken, swapKind, constraints }) =>
      [sellToken === WETH ? 'WETH' : 'USD', swapKind, constraints.topology].join(' '),
    );
    expect(new Set(kinds).size).toBe(2 * 2 * 2);
    expect(asked).toContainEqual({
      sellToken: USD,
      buyToken: WETH,
      swapKind: 'exact-output',
      amount: 2n * 10n ** 6n,
      constraints: { topology: 'graph', sources: new Set(['uniswap-v2']) },
    });
  });

  test('the first slice -> done on return; ended -> nothing more', async () => {
    const { asked, planner } = notingPlanner();
    const slow: Planner = (market, request) => {
      const end = performance.now() + 5;
      while (performance.now() < end);
      return planner(market, request);
    };
    const end = warmUp([SMALL_MARKET], { planner: slow, encoders: spellingEncoders, firstMs: 1 });
    expect(asked).toHaveLength(2);
    end();
    await delay(50);
    expect(asked).toHaveLength(2);
  });
});
