/**
 * Formats milliseconds with a readable precision.
 * @example formatMs(0.4321) // '0.43' formatMs(1234.5) // '1235'
 */
export function formatMs(ms: number): string {
  return ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2);
}

/**
 * Returns a share as a percentage.
 *
 * @example
 * formatShare(0.00123) // '0.12%'
 */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent === 0) return '0%';
  return percent < 0.01 ? '< 0.01%' : `${percent.toFixed(percent < 10 ? 2 : 1)}%`;
}

/**
 * Returns a count with thousands separators.
 *
 * @example
 * formatCount(1234567) // '1,234,567'
 */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/**
 * Returns an ISO 8601 time in a readable form.
 * @example
 * formatMoment('2026-01-02T03:04:05.678Z') // '2026-01-02 03:04:05 UTC'
 */
export function formatMoment(iso: string): string {
  return iso.replace(/^(.{10})T(.{8})(?:\.\d+)?Z$/, '$1 $2 UTC');
}

/**
 * Returns a duration in a readable unit.
 * @example
 * formatDuration(61_000) // '61.0 s'
 * formatDuration(3_600_000) // '60.0 min'
 */
export function formatDuration(ms: number): string {
  const s = ms / 1000;
  return s < 120
    ? `${s.toFixed(1)} s`
    : s < 7200
      ? `${(s / 60).toFixed(1)} min`
      : `${(s / 3600).toFixed(2)} h`;
}
