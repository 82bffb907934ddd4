/**
 * Returns the words of a fault without the values in it, so that the same fault
 * at another amount or address reads the same.
 *
 * @example withoutValues('5000 of 0xab, within 1.5 %') // '# of 0x, within # %'
 */
export function withoutValues(text: string): string {
  return text
    .slice(0, 300)
    .replace(/0x[0-9a-fA-F]*/g, '0x')
    .replace(/[0-9]+([.,][0-9]+)*/g, '#');
}
