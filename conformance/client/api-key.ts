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
  const [, quote = ''] = /^(["'`]).*\1$/s.exec(apiKey) ?? [];
  if (apiKey.length > 1 && quote !== '') {
    mistakes.push(
      `the API key is in quotes (${quote}), which are sent as part of the key: remove them`,
    );
  }
  if (/^\s|\s$/.test(apiKey)) {
    mistakes.push(
      'the API key begins or ends with a space, which is sent as part of the key: remove it',
    );
  } else if (/[\r\n]/.test(apiKey)) mistakes.push('the API key contains a line break: remove it');
  return mistakes;
}
