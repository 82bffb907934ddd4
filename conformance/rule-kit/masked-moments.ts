/**
 * Timestamps in calldata (of a quote or a deadline) are masked within this range, in seconds before
 * and after the reply.
 */
const [BEFORE, AFTER] = [3_600, 86_400];

/**
 * Returns calldata in lower case with timestamps near that of the reply masked, since deadlines
 * differ from one reply to the next.
 *
 * @example maskMoments('0xAA6553F100BB', 1_700_000_000_000) // '0xaa........bb'
 */
export function maskMoments(calldata: string, repliedAtMs: number): string {
  const hex = calldata.toLowerCase();
  const now = Math.floor(repliedAtMs / 1_000);
  let masked = hex.slice(0, 2);
  for (let at = 2; at < hex.length; ) {
    const second = Number.parseInt(hex.slice(at, at + 8), 16);
    const isMoment = at + 8 <= hex.length && second >= now - BEFORE && second <= now + AFTER;
    masked += isMoment ? '.'.repeat(8) : hex.slice(at, at + 2);
    at += isMoment ? 8 : 2;
  }
  return masked;
}
