import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Maximum size of a file, in bytes. Larger files are rejected. */
const MAX_FILE_BYTES = 256 * 2 ** 20;

const CHUNK_BYTES = 2 ** 20;
/** Otherwise, opening a pipe would wait for its writer. Windows has no such flag. */
const OPEN_WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Returns the text of a regular file. Devices and pipes are rejected, because they may have no end.
 *
 * @throws {UnreadableFileError} with the reason, for any other path.
 */
export function readFileText(path: string): string {
  const file = orUnreadable(() => openSync(path, OPEN_WITHOUT_WAITING));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new UnreadableFileError('it is not a regular file');
    const chunks: Buffer[] = [];
    for (let { size } = stats, length = 0; ; size = length) {
      if (size > MAX_FILE_BYTES) throw new UnreadableFileError('it is larger than 256 MiB');
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = orUnreadable(() => readSync(file, chunk));
      if (read === 0) return Buffer.concat(chunks).toString();
      chunks.push(chunk.subarray(0, read));
      length += read;
    }
  } finally {
    closeSync(file);
  }
}

function orUnreadable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new UnreadableFileError(code ?? message, { cause });
  }
}

/** A file cannot be read. The message is the reason, such as `ENOENT`. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}
