import { CommanderError } from 'commander';

/**
 * Returns the error for wrong usage of a command. Unlike commander's `InvalidArgumentError`, it
 * does not quote the option's value, because URLs and keys must not be printed.
 */
export function usageError(message: string): CommanderError {
  return new CommanderError(2, 'usage', message);
}
