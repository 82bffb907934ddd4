/** Message for a missing or empty key. */
export const NO_API_KEY = 'no API key given: set SWAPCHECK_API_KEY or pass --api-key';

/**
 * Minimum length of a key that is also searched inside words. A shorter key may be part of a word
 * by chance, so it is redacted only if it is a whole word or a parameter value.
 */
export const MIN_SEARCHED_CHARACTERS = 4;

/**
 * Returns the API key without line breaks at its ends, which files and secret stores may add.
 * Reports their removal, and everything else in the key that may be a mistake.
 */
export function readApiKey(text: string, report: (remark: string) => void): string {
  const apiKey = text.replace(/^[\r\n]+|[\r\n]+$/g, '');
  if (apiKey !== text) {
    report('the API key began or ended with a line break, which was removed');
  }
  for (const mistake of keyMistakes(apiKey)) report(mistake);
  if (apiKey !== '' && apiKey.length < MIN_SEARCHED_CHARACTERS) {
    report(
      `the API key has fewer than ${MIN_SEARCHED_CHARACTERS} characters: it is redacted only where it is a whole word or a parameter value`,
    );
  }
  return apiKey;
}

/**
 * Returns reasons why a service may reject a key that is otherwise correct. The reasons do not show
 * the key.
 */
export function keyMistakes(apiKey: string): readonly string[] {
  const mistakes: string[] = [];
  const [quote = ''] = apiKey;
  if (apiKey.length > 1 && QUOTES[quote]?.includes(apiKey.at(-1) ?? '')) {
    mistakes.push(
      `the API key is in quotes (${quote}), which are sent as part of the key: remove them`,
    );
  }
  if (/^\s|\s$/.test(apiKey)) {
    mistakes.push(
      'the API key begins or ends with a space, which is sent as part of the key: remove it',
    );
  } else if (/[\r\n]/.test(apiKey)) mistakes.push('the API key contains a line break: remove it');
  const unusual = new Set(apiKey.match(/[^\u0021-\u007e\r\n ]/gu));
  for (const character of unusual) mistakes.push(describeUnusual(character));
  return mistakes;
}

/** Closing quotes by opening quote, including those that word processors write. */
const QUOTES: Readonly<Record<string, string>> = {
  ...{ '"': '"', "'": "'", '`': '`' },
  ...{ '“': '”“', '”': '”', '„': '“”', '‘': '’‘', '’': '’', '‚': '‘’', '«': '»', '»': '«' },
};

/** Characters that are pasted instead of the one that they look like. */
const LOOKALIKES: readonly (readonly [RegExp, string])[] = [
  [/\p{Dash}/u, "'-'"],
  [/[“”„‟″]/, "'\"'"],
  [/[‘’‚‛′]/, '"\'"'],
  [/\p{Zs}/u, 'a space'],
];

/**
 * Names a character by its number, because it is invisible or looks like another one.
 *
 * @example describeUnusual('\u2011') // "the API key contains U+2011, which looks like '-': ..."
 */
function describeUnusual(character: string): string {
  const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const [, original] = LOOKALIKES.find(([pattern]) => pattern.test(character)) ?? [];
  const isInvisible = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u.test(character);
  const what = isInvisible
    ? 'is invisible'
    : original === undefined
      ? 'is not an ASCII character'
      : `looks like ${original}`;
  return `the API key contains U+${number}, which ${what} and is sent as part of the key: copy the key again as plain text`;
}
