/** One that waits to be refused. */
export type Refused = {
  readonly shed: () => void;
  readonly isAbandoned: () => boolean;
  readonly abandon: () => void;
};

/** How a turn of the event loop was spent. */
type Turn = {
  /** On requests and replies, and all else but planning. */
  readonly awayMs: number;
  /** How many requests were read. */
  readonly requests: number;
  /** In all. */
  readonly turnMs: number;
  /** Whether trades wait to be planned. */
  readonly isPlanning: boolean;
};

/** The share of time that refusals may take, the requests that follow them included. */
const SHARE = 0.1;

/** What they may take at once after a time without any. */
const MAX_CREDIT_MS = 10;

/**
 * Returns refusals that wait until there is time for them, in the order in
 * which they came: a token bucket whose tokens are milliseconds.
 */
export function paceRefusals() {
  const waiting: Refused[] = [];
  let creditMs = MAX_CREDIT_MS;
  /** What reading a request and sending its reply take, on average. */
  let exchangeMs = 0;

  return {
    add: (one: Refused) => void waiting.push(one),
    isWaiting: () => waiting.length > 0,
    exchangeMs: () => exchangeMs,
    /** Sends as many as there is time for after a turn. */
    answer({ awayMs, requests, turnMs, isPlanning }: Turn): void {
      if (requests > 0) {
        exchangeMs += (awayMs / requests - exchangeMs) * Math.min(1, requests / 64);
      }
      // Where nothing is to be planned they take nothing from it.
      const earnedMs = isPlanning ? turnMs * SHARE : MAX_CREDIT_MS;
      creditMs = Math.min(MAX_CREDIT_MS, creditMs + earnedMs);
      while (creditMs > 0) {
        const next = waiting.shift();
        if (!next) return;
        if (next.isAbandoned()) next.abandon();
        else {
          next.shed();
          creditMs -= exchangeMs;
        }
      }
    },
  };
}
