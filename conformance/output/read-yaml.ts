import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { UsageError } from './usage-error.ts';

/**
 * Returns what a YAML or JSON file holds.
 *
 * @throws {YamlError} saying in one line why it cannot be read.
 */
export function readYaml(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new YamlError(cause);
  }
}

/**
 * Returns what a file holds that a flag names.
 *
 * @throws {UsageError} naming the flag, and why the file cannot be read.
 */
export function readYamlOf(flag: string, path: string): unknown {
  try {
    return readYaml(path);
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    throw new UsageError(`${flag} ${path}: ${cause.message}`, { cause });
  }
}

/** A file that cannot be read as YAML or JSON. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** Whether there was no file to read. */
  readonly isUnreadable: boolean;

  constructor(cause: unknown) {
    const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    // The parser recurses, and says so in the engine's words.
    super(/call stack/.test(line) ? 'it is nested too deeply' : line, { cause });
    this.isUnreadable = cause instanceof Error && 'syscall' in cause;
  }
}
