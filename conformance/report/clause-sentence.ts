/**
 * Returns the words of a clause as a sentence, including those of a table row of the
 * specification.
 *
 * @example
 * clauseSentence('amount | string | yes | Amount in base units')
 * // '`amount` (string, required): Amount in base units'
 */
export function clauseSentence(words: string): string {
  const [name = '', ...cells] = words.split(' | ');
  const [type = '', required = '', ...rest] = cells;
  if (cells.length === 0) return words;
  if (cells.length === 1) return `${name}: ${type}`;
  if (/^\d+$/.test(name)) return `Status ${name}: ${type}. Body: ${required}`;
  const meaning = rest.pop();
  const [otherwise] = rest;
  const kinds = [
    type,
    required.replace(/^yes/, 'required').replace(/^no$/, 'optional'),
    ...(otherwise === undefined ? [] : [`default ${otherwise}`]),
  ];
  return `\`${name}\` (${kinds.join(', ')})${meaning === undefined ? '' : `: ${meaning}`}`;
}
