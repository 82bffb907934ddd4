import { setTimeout as delay } from 'node:timers/promises';
import type { MarketChange } from '../market.ts';
import type { LiveMarket } from './live-market.ts';
import { describeNodeFailure } from './node-client.ts';

/** How a market is followed. */
export type FollowOptions = {
  /** Milliseconds between looks for a new block; default 500. */
  readonly pollMs?: number;
  /** Milliseconds without a successful look after which the market counts as lost; default 15000. */
  readonly lostAfterMs?: number;
  /** Milliseconds that never go back; default those since the process began. */
  readonly clock?: () => number;
  /** Resolves after so many milliseconds of the clock. */
  readonly sleep?: (ms: number) => Promise<unknown>;
};

/** Reads every block that follows and tells of each, until `signal` ends it. */
export async function followMarket(
  { market: opened, readNext }: LiveMarket,
  onChange: (change: MarketChange) => void,
  signal: AbortSignal,
  {
    pollMs = 500,
    lostAfterMs = 15_000,
    clock = () => performance.now(),
    sleep = (ms) => delay(ms, undefined, { ref: false }),
  }: FollowOptions = {},
): Promise<void> {
  const { chainId } = opened;
  let market = opened;
  let lastReadAt = clock();
  let isLost = false;
  for (;;) {
    await sleep(pollMs);
    const next = signal.aborted
      ? undefined
      : await readNext().catch((error: unknown) => ({ error }));
    if (signal.aborted) return;
    if (next !== undefined && 'error' in next) {
      if (isLost || clock() - lastReadAt < lostAfterMs) continue;
      isLost = true;
      onChange({ kind: 'lost', chainId, why: describeNodeFailure(next.error) });
      continue;
    }
    lastReadAt = clock();
    if (next === undefined && !isLost) continue;
    isLost = false;
    market = next ?? market;
    onChange({ kind: 'moved', chainId, market });
  }
}
