import type { MarketChange } from '../market.ts';
import type { LiveMarket } from './live-market.ts';
import { describeNodeFailure } from './node-client.ts';

export type FollowOptions = {
  /** Milliseconds between polls for a new block. Default: 500. */
  readonly pollMs?: number;
  /** Milliseconds without a successful poll after which the market is lost. Default: 15000. */
  readonly lostAfterMs?: number;
  /** Maximum age of the latest block. Beyond the maximum, the market is lost. Default: none. */
  readonly maxBlockAgeS?: number;
};

/** Maximum delay before a loss is reported. */
const CLOCK_CHECK_MS = 250;

/**
 * Reads and reports the market at each new block, until `signal` is aborted. A timer checks for
 * losses, so that no reply from the node can delay the report of a loss.
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

  const reasonOfLoss = (): string | undefined => {
    const silentMs = performance.now() - lastReadAt;
    const ageS = Date.now() / 1000 - market.block.timestamp;
    if (silentMs < lostAfterMs && ageS <= maxBlockAgeS) return undefined;
    if (failure !== undefined) return describeNodeFailure(failure);
    if (silentMs >= lostAfterMs) return 'it does not respond';
    return `its latest block is ${Math.floor(ageS)} s old`;
  };
  const checkClock = () => {
    const why = isLost ? undefined : reasonOfLoss();
    if (why === undefined) return;
    isLost = true;
    onChange({ kind: 'lost', chainId, why });
  };
  const clockChecks = setInterval(checkClock, CLOCK_CHECK_MS).unref();
  signal.addEventListener('abort', () => clearInterval(clockChecks));
  checkClock();

  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pollMs).unref());
    if (signal.aborted) return;
    const poll = await readNext().then(
      (next) => ({ next }),
      (error: unknown) => ({ error }),
    );
    if (signal.aborted) return;
    if ('error' in poll) {
      failure = poll.error;
      continue;
    }
    failure = undefined;
    lastReadAt = performance.now();
    market = poll.next ?? market;
    if (reasonOfLoss() !== undefined || (poll.next === undefined && !isLost)) continue;
    isLost = false;
    onChange({ kind: 'moved', chainId, market });
  }
}
