import { amountOf } from '../model/amount-text.ts';
import type { Report } from '../model/report.ts';
import { unitsText } from '../model/statement-text.ts';

/**
 * Returns a description of the largest dust of a run.
 *
 * @example
 * dustWords({ baseUnits: '-1500000', symbol: 'USDC', decimals: 6, partsPerMillion: 2, token: '0xab', exchange: 4 })
 * // '1.5 USDC overspent in request 4: 2 parts per million (1500000 base units of 0xab)'
 */
export function dustWords({
  baseUnits,
  partsPerMillion,
  exchange,
  token,
  ...dust
}: NonNullable<Report['largestDust']>): string {
  const isOverspent = baseUnits.startsWith('-');
  const units = isOverspent ? baseUnits.slice(1) : baseUnits;
  const exact = `${unitsText(BigInt(units))} of ${token}`;
  const [amount, note] =
    dust.decimals === undefined ? [exact, ''] : [amountOf(units, dust), ` (${exact})`];
  const share = Number(partsPerMillion.toPrecision(3));
  const fate = isOverspent ? 'overspent' : 'left over';
  return `${amount} ${fate} in request ${exchange}: ${share} parts per million${note}`;
}
