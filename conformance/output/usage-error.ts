/** Wrong use of a command; the message names the value and what was expected. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
