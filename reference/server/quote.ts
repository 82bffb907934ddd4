const MAX_QUOTED = 80;

/**
 * Returns `text` fit to stand in a message or a log: every secret in it
 * replaced by `[redacted]`, at most 80 characters of it.
 *
 * @example
 * quote('key-1', ['key-1']) // '[redacted]'
 */
export function quote(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret !== '' && clean.includes(secret)) clean = clean.replaceAll(secret, '[redacted]');
  }
  return clean.length > MAX_QUOTED ? `${clean.slice(0, MAX_QUOTED)}... (${text.length})` : clean;
}
