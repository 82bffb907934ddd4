import { amountOf } from '../model/amount-text.ts';
import type { Report } from '../model/report.ts';

/** Returns the largest dust of a run in words: how much of what, and where. */
export function dustWords({
  baseUnits,
  partsPerMillion,
  exchange,
  ...dust
}: NonNullable<Report['largestDust']>): string {
  const [sign, units] = baseUnits.startsWith('-') ? ['-', baseUnits.slice(1)] : ['', baseUnits];
  const inTokens = dust.decimals === undefined ? '' : `${sign}${amountOf(units, dust)}, `;
  return `${inTokens}${baseUnits} base units of ${dust.token} (${partsPerMillion} parts per million) in request ${exchange}`;
}
