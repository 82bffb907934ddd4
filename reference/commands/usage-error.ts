/** Thrown for a flag whose value is not what is expected; the message names both. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
