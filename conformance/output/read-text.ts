import { readFileSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/**
 * Returns the text of a file that the command line names. Errors contain `name`.
 *
 * @throws {UsageError} if the file cannot be read.
 */
export function readText(path: string, name = path || "''"): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code = 'no such file' } = cause as NodeJS.ErrnoException;
    throw new UsageError(`${name} cannot be read (${code})`, { cause });
  }
}
