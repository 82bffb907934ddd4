/**
 * Milliseconds that a `retry-after` header asks to wait: seconds, or a date.
 * Undefined where it is neither.
 *
 * @example retryAfterMs('2', 0) // 2000
 * @see RFC 9110, section 10.2.3
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^[0-9]+(\.[0-9]+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
