import { amountOf } from '../model/amount-text.ts';
import type { Report } from '../model/report.ts';

/** Returns a description of the largest dust of a run: the amount, the token and the request. */
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
