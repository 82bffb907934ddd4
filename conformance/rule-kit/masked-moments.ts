/**
 * Range of masked timestamps, in seconds before and after the reply. Calldata may contain the time
 * of the quote, and a deadline.
 */
const [BEFORE, AFTER] = [3_600, 86_400];

/**
 * Returns calldata in lower case, and masks timestamps near the time of the reply. Two replies to
 * one request may differ only in their deadlines.
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
