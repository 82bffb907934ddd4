import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { MAX_BODY_BYTES } from '../client/body-reader.ts';
import { readBytes, readChunks, UnreadableFileError } from '../output/read-file.ts';
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
      const source = await standardInput.read();
      if (source !== undefined) yield source;
      continue;
    }
    for (const name of filesAt(path)) {
      if (!name.endsWith('.ndjson') && statSync(name).size > MAX_DOCUMENT_BYTES) {
        throw documentTooLong(name);
      }
      yield { name, chunks: chunksOf(name), readAttached: (file) => readAttached(name, file) };
    }
  }
}

/**
 * A HAR may name any file. Only a regular file is read, if it is in the HAR's folder after links
 * are resolved. A body that the client would not accept from a service counts as not captured.
 */
function readAttached(name: string, file: string): Buffer | undefined {
  try {
    const folder = realpathSync(dirname(resolve(name)));
    const path = realpathSync(resolve(folder, file));
    if (!path.startsWith(join(folder, sep))) return undefined;
    return readBytes(path, MAX_BODY_BYTES);
  } catch {
    // The file is missing or unreadable, so the body was not captured.
    return undefined;
  }
}

function* chunksOf(name: string): Generator<Buffer> {
  try {
    yield* readChunks(name);
  } catch (cause) {
    throw cause instanceof UnreadableFileError ? new CaptureError(name, cause.message) : cause;
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
