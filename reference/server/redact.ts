const MAX_LENGTH = 80;

/**
 * Returns `text` fit to stand in a message or a log: every secret in it
 * replaced by `[redacted]`, at most 80 characters of it.
 *
 * @example
 * redact('key-1', ['key-1']) // '[redacted]'
 */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret !== '' && clean.includes(secret)) clean = clean.replaceAll(secret, '[redacted]');
  }
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}... (${text.length})` : clean;
}
