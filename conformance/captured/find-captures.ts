import {
  closeSync,
  type Dirent,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import {
  CaptureError,
  type CaptureSource,
  documentTooLong,
  MAX_DOCUMENT_BYTES,
} from './read-capture.ts';
import type { StandardInput } from './standard-input.ts';

/**
 * Yields the capture files at the given paths, one at a time. A folder yields its .json, .ndjson
 * and .har files at any depth, sorted by name. `-` yields standard input.
 *
 * @throws {CaptureError} for a path that cannot be read, or a folder without such files.
 */
export async function* findCaptures(
  paths: readonly string[],
  standardInput?: StandardInput,
): AsyncGenerator<CaptureSource> {
  for (const path of paths) {
    if (path === '-' && standardInput !== undefined) {
      yield* standardInput.read();
      continue;
    }
    for (const name of filesAt(path)) {
      const chunks = name.endsWith('.ndjson') ? readChunks(name) : undefined;
      if (chunks !== undefined) {
        yield { name, chunks };
        continue;
      }
      if (orThrow(name, () => statSync(name)).size > MAX_DOCUMENT_BYTES)
        throw documentTooLong(name);
      const bytes = orThrow(name, () => readFileSync(name));
      yield { name, chunks: [bytes], readAttached: (file) => readAttached(name, file) };
    }
  }
}

const CHUNK_BYTES = 2 ** 20;

/** Reads in chunks, since a file may be larger than memory. */
function* readChunks(name: string): Generator<Buffer> {
  const file = orThrow(name, () => openSync(name, 'r'));
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const length = orThrow(name, () => readSync(file, chunk));
      if (length === 0) return;
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Maximum size of a body in a separate file. It equals the maximum for a body from a service. A
 * larger body counts as not captured.
 */
const MAX_ATTACHED_BYTES = 16 * 2 ** 20;

/**
 * A HAR may name any file. Only a regular file within the size limit is read, and only if it is in
 * the HAR's folder after links are resolved.
 */
function readAttached(name: string, file: string): Buffer | undefined {
  try {
    const folder = realpathSync(dirname(resolve(name)));
    const path = realpathSync(resolve(folder, file));
    if (!path.startsWith(join(folder, sep))) return undefined;
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_ATTACHED_BYTES ? readFileSync(path) : undefined;
  } catch {
    // The file is missing or unreadable, so the body was not captured.
    return undefined;
  }
}

function filesAt(path: string): readonly string[] {
  const stats = orThrow(path, () => statSync(path));
  if (stats.isFile()) return [path];
  if (!stats.isDirectory()) {
    throw new CaptureError(path, 'is neither a file nor a folder: pipe it into swapcheck check -');
  }
  const entries: Dirent[] = orThrow(path, () =>
    readdirSync(path, { recursive: true, withFileTypes: true }),
  );
  const files = entries
    .filter((entry) => entry.isFile() && /\.(json|ndjson|har)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new CaptureError(path, 'contains no .json, .ndjson or .har file');
  return files;
}

function orThrow<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): CaptureError {
  const { code = String(cause) } = cause as NodeJS.ErrnoException;
  return new CaptureError(path, `cannot be read (${code})`);
}
