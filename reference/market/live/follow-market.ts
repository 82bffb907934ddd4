import type { MarketChange } from '../market.ts';
import type { LiveMarket } from './live-market.ts';
import { describeNodeFailure } from './node-client.ts';

/** How a market is followed. */
export type FollowOptions = {
  /** Milliseconds between looks for a new block; default 500. */
  readonly pollMs?: number;
  /** Milliseconds without a successful look after which the market counts as lost; default 15000. */
  readonly lostAfterMs?: number;
  /** Seconds since the timestamp of the latest block after which the market counts as lost; default none. */
  readonly maxBlockAgeS?: number;
};

/** Milliseconds between looks at the clock: a loss is told at most so much later. */
const WATCH_MS = 250;

/**
 * Reads every block that follows and tells of each, until `signal` ends it.
 * Whether the market is lost is watched apart from that, by the clock alone:
 * no reply of the node, and none that never ends, can delay it.
 */
export async function followMarket(
  { market: opened, readNext }: Pick<LiveMarket, 'market' | 'readNext'>,
  onChange: (change: MarketChange) => void,
  signal: AbortSignal,
  {
    pollMs = 500,
    lostAfterMs = 15_000,
    maxBlockAgeS = Number.POSITIVE_INFINITY,
  }: FollowOptions = {},
): Promise<void> {
  const { chainId } = opened;
  let market = opened;
  let lastReadAt = performance.now();
  let failure: unknown;
  let isLost = false;

  const whyLost = (): string | undefined => {
    const silentMs = performance.now() - lastReadAt;
    const ageS = Date.now() / 1000 - market.block.timestamp;
    if (silentMs < lostAfterMs && ageS <= maxBlockAgeS) return undefined;
    if (failure !== undefined) return describeNodeFailure(failure);
    if (silentMs >= lostAfterMs) return 'it does not respond';
    return `its latest block is ${Math.floor(ageS)} s old`;
  };
  const watch = () => {
    const why = isLost ? undefined : whyLost();
    if (why === undefined) return;
    isLost = true;
    onChange({ kind: 'lost', chainId, why });
  };
  const watching = setInterval(watch, WATCH_MS).unref();
  signal.addEventListener('abort', () => clearInterval(watching));
  watch();

  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pollMs).unref());
    if (signal.aborted) return;
    const look = await readNext().then(
      (next) => ({ next }),
      (error: unknown) => ({ error }),
    );
    if (signal.aborted) return;
    if ('error' in look) {
      failure = look.error;
      continue;
    }
    failure = undefined;
    lastReadAt = performance.now();
    market = look.next ?? market;
    if (whyLost() !== undefined || (look.next === undefined && !isLost)) continue;
    isLost = false;
    onChange({ kind: 'moved', chainId, market });
  }
}
