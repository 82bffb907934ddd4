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
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CaptureError, type CaptureSource } from './read-capture.ts';

/**
 * The files that paths name, one at a time: a folder stands for every .json,
 * .ndjson and .har in it, at any depth, by name; `-` for standard input.
 *
 * @param signal - Ends the wait for standard input: there are then no more files.
 * @param standardInput - Reads standard input; undefined once the signal aborts.
 * @throws {CaptureError} for a path that cannot be read, or a folder without any.
 */
export async function* findCaptures(
  paths: readonly string[],
  signal?: AbortSignal,
  standardInput = () => readStandardInput(signal),
): AsyncGenerator<CaptureSource> {
  for (const path of paths) {
    for (const name of path === '-' ? [path] : filesAt(path)) {
      const chunks = name.endsWith('.ndjson') ? readChunks(name) : undefined;
      if (chunks !== undefined) {
        yield { name, chunks };
        continue;
      }
      const bytes = name === '-' ? await standardInput() : orThrow(name, () => readFileSync(name));
      if (bytes === undefined) return;
      yield { name, chunks: [bytes], readAttached: (file) => readAttached(name, file) };
    }
  }
}

const CHUNK_BYTES = 2 ** 20;

/** Reads a file piece by piece, so that it may be larger than memory. */
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

/** Maximum size of a file that a HAR names for a body: as much as is read of a body from a service. */
const MAX_ATTACHED_BYTES = 16 * 2 ** 20;

/**
 * Reads a file that a HAR names for a body; undefined unless it is a regular
 * file in the folder of the HAR, wherever links lead, and within the limit.
 */
function readAttached(name: string, file: string): Buffer | undefined {
  if (name === '-') return undefined;
  try {
    const folder = realpathSync(dirname(resolve(name)));
    const path = realpathSync(resolve(folder, file));
    if (!path.startsWith(join(folder, sep))) return undefined;
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_ATTACHED_BYTES ? readFileSync(path) : undefined;
  } catch {
    // Missing, or not readable: the body was not captured.
    return undefined;
  }
}

/** Reads standard input; undefined if the signal aborts first. */
export async function readStandardInput(signal?: AbortSignal): Promise<Buffer | undefined> {
  try {
    return await buffer(signal ? addAbortSignal(signal, process.stdin) : process.stdin);
  } catch (cause) {
    if (signal?.aborted === true) return undefined;
    throw unreadable('-', cause);
  }
}

function filesAt(path: string): readonly string[] {
  if (!orThrow(path, () => statSync(path)).isDirectory()) return [path];
  const entries: Dirent[] = orThrow(path, () =>
    readdirSync(path, { recursive: true, withFileTypes: true }),
  );
  const files = entries
    .filter((entry) => entry.isFile() && /\.(json|ndjson|har)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new CaptureError(path, 'holds no .json, .ndjson or .har');
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
