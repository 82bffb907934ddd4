/**
 * Returns the beginning of a text, at most `max` UTF-16 code units long, without splitting a code
 * point.
 *
 * @example cutText('a😀', 2) // 'a'
 */
export function cutText(text: string, max: number): string {
  const last = text.charCodeAt(max - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff && text.length > max;
  return text.slice(0, isHalf ? max - 1 : max);
}

/** Returns the result of `cutText`, which does not keep the rest of the text in memory. */
export function copyStart(text: string, max: number): string {
  return text.length <= max ? text : Buffer.from(cutText(text, max), 'utf16le').toString('utf16le');
}

/**
 * Returns a text that has at most `max` UTF-16 code units. If it was longer, it ends with an
 * ellipsis.
 *
 * @example shorten('0123456789', 5) // '0123…'
 */
export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${cutText(text, max - 1)}…`;
}
