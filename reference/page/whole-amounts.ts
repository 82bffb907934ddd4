/**
 * Converts an amount in whole tokens to base units. Returns undefined if the text is not a number
 * above zero, or has more decimal places than the token.
 * @example toBaseUnits('1,000.5', 6) // '1000500000'
 */
export function toBaseUnits(text: string, decimals: number): string | undefined {
  const plain = text.trim().replace(/,(?=\d{3}(\D|$))/g, '');
  const [, whole = '', fraction = ''] = /^(\d*)(?:\.(\d*))?$/.exec(plain) ?? [];
  const places = fraction.replace(/0+$/, '');
  if (whole + fraction === '' || places.length > decimals) return undefined;
  const digits = (whole + places.padEnd(decimals, '0')).replace(/^0+/, '');
  return digits === '' ? undefined : digits;
}

/**
 * Converts a percentage to a fraction in the format of `slippageTolerance`. Returns undefined
 * unless the percentage is from 0 to 100 in steps of 0.01.
 * @example toFraction('0.5') // '0.005'
 */
export function toFraction(percent: string): string | undefined {
  const [, whole = '', hundredths = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(percent.trim()) ?? [];
  const steps = whole === '' ? Number.NaN : Number(whole + hundredths.padEnd(2, '0'));
  return steps <= 10_000 ? String(steps / 10_000) : undefined;
}
