import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { messageOf } from '../contract/message-of.ts';
import { readBytes, UnreadableFileError } from './read-file.ts';
import { UsageError } from './usage-error.ts';

/** Maximum size of a file. Parsing takes several hundred times as much memory as the file. */
const MAX_YAML_BYTES = 2 ** 20;

/**
 * Returns the value in a YAML or JSON file of at most 1 MiB.
 *
 * @throws {YamlError} with the reason in one line.
 */
export function readYaml(path: string): unknown {
  return asYamlError(() => parseYaml(readBytes(path, MAX_YAML_BYTES).toString()).toJS());
}

/**
 * Returns a YAML or JSON file of at most 1 MiB as a document, which preserves its comments.
 *
 * @throws {YamlError} with the reason in one line.
 */
export function readYamlDocument(path: string): Document {
  return asYamlError(() => parseYaml(readBytes(path, MAX_YAML_BYTES).toString()));
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

/**
 * The library would print warnings itself, with text from the file. Its own search for duplicate
 * keys compares each pair of keys.
 */
const OPTIONS = { logLevel: 'silent', uniqueKeys: false } as const;

function parseYaml(text: string): Document {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { ...OPTIONS, lineCounter });
  for (const error of document.errors) throw error;
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        const { line } = lineCounter.linePos(key.range?.[0] ?? 0);
        if (seen.has(name)) throw new Error(`the key '${name}' appears twice (line ${line})`);
        seen.add(name);
      }
    },
  });
  return document;
}

function asYamlError<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new YamlError(cause);
  }
}

/** A file that cannot be read as YAML or JSON. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** True if the file is missing, or may not be read. */
  readonly isUnreadable: boolean;

  constructor(cause: unknown) {
    const isFileError = cause instanceof UnreadableFileError;
    const [line = ''] = messageOf(cause).split('\n');
    // The parser recurses, and its error for a stack overflow is unreadable.
    const why = /call stack/.test(line) ? 'it is nested too deeply' : line.replace(/:$/, '');
    super(isFileError ? `it ${line}` : why, { cause });
    this.isUnreadable = isFileError && /^cannot be read/.test(line);
  }
}
