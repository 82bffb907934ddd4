import { parseAmount } from '../checks/amounts.ts';
import { shorten } from '../contract/cut-text.ts';

const SIGNIFICANT = 6;

/**
 * Returns an amount of base units in whole tokens, rounded down to six significant digits. Returns
 * the text unchanged if it is not an amount or the decimals are unknown.
 *
 * @example formatAmount('1498119307', 6) // '1,498.11'
 */
export function formatAmount(amount: string, decimals: number | undefined): string {
  const units = parseAmount(amount);
  if (units === undefined || decimals === undefined) return shorten(amount, 20);
  const scale = 10n ** BigInt(decimals);
  const whole = units / scale;
  const fraction = (units % scale).toString().padStart(decimals, '0');
  const integer = whole.toString();
  const grouped = integer.replace(/\B(?=(\d{3})+$)/g, ',');
  if (decimals === 0 || integer.length >= SIGNIFICANT) return shorten(grouped, 24);
  const zeros = whole === 0n ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const digits = whole === 0n ? zeros + SIGNIFICANT : SIGNIFICANT - integer.length;
  const shown = fraction.slice(0, digits).replace(/0+$/, '');
  return shown === '' ? grouped : `${grouped}.${shown}`;
}

/**
 * Returns the text of an amount of base units, with the token's symbol if it is known.
 *
 * @example amountOf('1498119307', { symbol: 'USDC', decimals: 6 }) // '1,498.11 USDC'
 */
export function amountOf(
  amount: string,
  token: { readonly symbol?: string | undefined; readonly decimals?: number | undefined } = {},
): string {
  const { symbol, decimals } = token;
  return `${formatAmount(amount, decimals)}${symbol === undefined ? '' : ` ${shorten(symbol, 14)}`}`;
}
