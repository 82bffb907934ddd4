const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Returns an address of hex digits as base58 text, the same for every letter case.
 *
 * @example
 * toBase58('0x61') // '2g'
 */
export function toBase58(hex: string): string {
  let rest = BigInt(hex);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = (ALPHABET[Number(rest % 58n)] ?? '') + text;
  return text;
}
