import { readFileSync, statSync } from 'node:fs';
import { parse } from 'yaml';
import { UsageError } from './usage-error.ts';

/** Maximum size of a file. Parsing takes several hundred times as much memory as the file. */
const MAX_YAML_BYTES = 2 ** 20;

/**
 * Returns the value in a YAML or JSON file of at most 1 MiB.
 *
 * @throws {YamlError} with the reason in one line.
 */
export function readYaml(path: string): unknown {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > MAX_YAML_BYTES) {
      throw new Error(`it has ${stats.size} bytes: expected at most ${MAX_YAML_BYTES}`);
    }
    return parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new YamlError(cause);
  }
}

/**
 * Returns the value in the file that an option names.
 *
 * @throws {UsageError} with the option and the reason.
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
  /** True if the file is missing or unreadable. */
  readonly isUnreadable: boolean;

  constructor(cause: unknown) {
    const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    // The parser recurses, and its error for a stack overflow is unreadable.
    super(/call stack/.test(line) ? 'it is nested too deeply' : line, { cause });
    this.isUnreadable = cause instanceof Error && 'syscall' in cause;
  }
}
