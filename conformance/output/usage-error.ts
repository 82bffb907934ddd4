/**
 * Incorrect use of a command, which ends with exit code 2. The message names the value and what was
 * expected.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
