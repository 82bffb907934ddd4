// Removes the API key from replies before they are written.

export const KEY_PLACEHOLDER = '$SWAPCHECK_API_KEY';
// A shorter key may be part of any word, so only whole words are replaced.
const MIN_SEARCHED_CHARACTERS = 4;

/** Returns a function that replaces the key, whichever of its characters are percent-encoded or JSON escapes. */
export function redactor(key) {
  if (key === '') return (text) => text;
  const forms = Array.from(key, (character) => `(?:${formsOf(character).join('|')})`).join('');
  const pattern =
    key.length >= MIN_SEARCHED_CHARACTERS
      ? `()${forms}`
      : `(^|\\W|%[0-9a-fA-F]{2}|\\\\u[0-9a-fA-F]{4})${forms}(?!\\w)`;
  const search = new RegExp(pattern, 'g');
  return (text) => text.replace(search, (_, before) => before + KEY_PLACEHOLDER);
}

function formsOf(character) {
  const encoded = encodeURIComponent(character);
  const percent = encoded.startsWith('%') ? encoded : `%${hex(character, 2)}`;
  const units = character.split('').map((unit) => `\\\\u${inAnyCase(hex(unit, 4))}`);
  return [
    character.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
    inAnyCase(percent),
    units.join(''),
    ...(character === ' ' ? ['\\+'] : []),
    ...('"\\/'.includes(character) ? [`\\\\${character === '\\' ? '\\\\' : character}`] : []),
  ];
}

function hex(unit, digits) {
  return unit.charCodeAt(0).toString(16).padStart(digits, '0');
}

function inAnyCase(digits) {
  return digits.replace(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);
}
