/**
 * Incorrect use of a command. The command exits with code 2. The message names the value and what
 * was expected.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
