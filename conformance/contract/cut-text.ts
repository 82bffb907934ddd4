/**
 * Returns the beginning of a text, of at most the given UTF-16 code units; no
 * code point is cut in two.
 *
 * @example cutText('a😀', 2) // 'a'
 */
export function cutText(text: string, max: number): string {
  const last = text.charCodeAt(max - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff && text.length > max;
  return text.slice(0, isHalf ? max - 1 : max);
}
