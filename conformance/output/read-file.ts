import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/** Default maximum size of a file that is read whole, in bytes. Larger files are rejected. */
const MAX_FILE_BYTES = 256 * 2 ** 20;

/** Maximum size of a certificate or a key, in bytes. */
export const MAX_PEM_BYTES = 2 ** 20;

/**
 * Maximum size of a line of NDJSON, in bytes. Any body that the client accepts from a service fits
 * into one line.
 */
export const MAX_LINE_BYTES = 32 * 2 ** 20;

const CHUNK_BYTES = 2 ** 20;

/**
 * Returns the bytes of a regular file. Devices and pipes are rejected, because they may have no
 * end.
 *
 * @throws {UnreadableFileError} for any other path, and for a file larger than `maxBytes`.
 */
export function readBytes(path: string, maxBytes = MAX_FILE_BYTES): Buffer {
  return Buffer.concat([...readChunks(path, maxBytes)]);
}

/**
 * Yields the bytes of a regular file in chunks, since a file may be larger than memory.
 *
 * @param maxBytes - Default: no limit.
 * @throws {UnreadableFileError} for any other path, and for a file larger than `maxBytes`.
 */
export function* readChunks(path: string, maxBytes = Number.POSITIVE_INFINITY): Generator<Buffer> {
  const file = orUnreadable(() => openSync(path, OPEN_WITHOUT_WAITING));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new UnreadableFileError('is not a regular file');
    // The file may grow while it is read, and the files of /proc have no size.
    for (let { size } = stats, done = 0; ; size = done) {
      if (size > maxBytes) throw new UnreadableFileError(`is larger than ${sizeOf(maxBytes)}`);
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const length = orUnreadable(() => readSync(file, chunk));
      if (length === 0) return;
      done += length;
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Yields the lines in the given chunks, without their line breaks.
 *
 * @throws {LineTooLongError} at a line of more than `maxBytes`.
 */
export function* splitLines(chunks: Iterable<Buffer>, maxBytes: number): Generator<Buffer> {
  let number = 1;
  let rest: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer) => {
    rest.push(part);
    length += part.length;
    if (length > maxBytes) throw new LineTooLongError(number, maxBytes);
  };
  for (const chunk of chunks) {
    let start = 0;
    for (let to = chunk.indexOf('\n'); to >= 0; to = chunk.indexOf('\n', start)) {
      add(chunk.subarray(start, to));
      yield Buffer.concat(rest);
      [rest, length, number, start] = [[], 0, number + 1, to + 1];
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield Buffer.concat(rest);
}

/** Without `O_NONBLOCK`, opening a pipe would wait for its writer. Windows has no such flag. */
const OPEN_WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Returns the text of a file that the command line names. Errors contain `name`.
 *
 * @throws {UsageError} if the file cannot be read, or is larger than `maxBytes`.
 */
export function readText(path: string, name = path || "''", maxBytes = MAX_FILE_BYTES): string {
  try {
    return readBytes(path, maxBytes).toString();
  } catch (cause) {
    if (!(cause instanceof UnreadableFileError)) throw cause;
    throw new UsageError(`${name} ${cause.message}`, { cause });
  }
}

function orUnreadable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const { code = 'no such file' } = cause as NodeJS.ErrnoException;
    throw new UnreadableFileError(`cannot be read (${code})`, { cause });
  }
}

function sizeOf(bytes: number): string {
  return `${bytes / 2 ** 20} MiB`;
}

/** A file cannot be read. The message continues a sentence that begins with its name. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

/** A line is too long. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
  /** Counted from 1. */
  readonly number: number;

  constructor(number: number, maxBytes: number) {
    super(`is longer than ${sizeOf(maxBytes)}`);
    this.number = number;
  }
}
