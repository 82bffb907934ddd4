/** Time for which TCP delays an acknowledgment, with some margin, in milliseconds. */
const DELAYED_ACK_MS = { min: 38, max: 52 };
/** Fewer replies may take this long by chance. */
export const MIN_TIMED_REPLIES = 20;

/** Reply times of one operation, in milliseconds. */
export type ReplyTimes = {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/**
 * Returns a note, with advice, if replies over the loopback interface take as long as a delayed
 * acknowledgment and hardly vary: a service that computed for that long would vary. Otherwise
 * returns undefined.
 *
 * @see RFC 1122, 4.2.3.2, and RFC 896
 */
export function noteOnDelayedWrites(
  target: string,
  timings: readonly ReplyTimes[],
): string | undefined {
  const { min, max } = DELAYED_ACK_MS;
  const timed = timings.filter(({ requests }) => requests >= MIN_TIMED_REPLIES);
  const isDelayed = timed.every(
    ({ p50Ms, p99Ms }) => p50Ms >= min && p50Ms <= max && p99Ms <= p50Ms * 1.3,
  );
  if (!isLoopback(target) || timed.length === 0 || !isDelayed) return undefined;
  return `${DELAYED_WRITES}. ${DELAYED_WRITES_FIX}`;
}

export const DELAYED_WRITES =
  'Replies take 40 to 50 ms with hardly any spread: TCP holds a small write back until the last one is acknowledged';
export const DELAYED_WRITES_FIX = 'Write headers and body at once, or set TCP_NODELAY';

/** Returns whether a URL is of this machine. */
export function isLoopback(url: string): boolean {
  return /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(?=[:/]|$)/.test(url);
}
