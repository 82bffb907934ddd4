import type { Estimate } from '../model/metrics.ts';

/** Returns a number of basis points with its sign. */
export function formatBps(bps: number): string {
  const size = Math.abs(bps);
  const digits = size >= 100 ? 0 : size >= 1 ? 1 : 2;
  // A value that rounds to zero has no sign.
  const text = bps.toFixed(digits).replace(/^-(0(\.0+)?)$/, '$1');
  return bps > 0 && Number(text) !== 0 ? `+${text}` : text;
}

export function formatUsd(usd: number): string {
  const text = Math.abs(usd) >= 1_000 ? Math.abs(usd).toFixed(0) : Math.abs(usd).toPrecision(3);
  const plain = text.includes('e') ? Math.abs(usd).toFixed(6) : text;
  return `${usd < 0 ? '-' : ''}$${plain.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')}`;
}

/** Returns the size of a trade, such as `$1,000,000`. */
export function formatSize(usd: number): string {
  return `$${String(usd).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')}`;
}

/** Returns a value with its interval, such as `-10.1 [-10.4, -9.8]`. */
export function formatEstimate(
  estimate: Estimate | undefined,
  show: (value: number) => string,
): string {
  if (estimate === undefined) return '–';
  const { value, low, high } = estimate;
  const interval = low === undefined || high === undefined ? '' : ` [${show(low)}, ${show(high)}]`;
  return `${show(value)}${interval}`;
}
