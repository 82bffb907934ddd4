/**
 * Returns a number with its noun, which is plural unless the number is one.
 *
 * @example counted(1, 'base unit') // '1 base unit'
 * @example counted(3, 'reply', 'replies') // '3 replies'
 */
export function counted(
  count: number | bigint | string,
  noun: string,
  plural: string = `${noun}s`,
): string {
  return `${count} ${String(count) === '1' ? noun : plural}`;
}
