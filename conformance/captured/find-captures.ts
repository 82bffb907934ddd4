import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CaptureError, type CaptureSource } from './read-capture.ts';

/**
 * The files that paths name, one at a time: a folder stands for every .json,
 * .ndjson and .har in it, at any depth, by name; `-` for standard input.
 *
 * @param signal - Ends the wait for standard input: there are then no more files.
 * @throws {CaptureError} for a path that cannot be read, or a folder without any.
 */
export async function* findCaptures(
  paths: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<CaptureSource> {
  for (const path of paths) {
    for (const name of path === '-' ? [path] : filesAt(path)) {
      const bytes =
        name === '-' ? await readStandardInput(signal) : orRefuse(name, () => readFileSync(name));
      if (bytes === undefined) return;
      yield { name, bytes, readAttached: (file) => readAttached(name, file) };
    }
  }
}

/** A file that a HAR names for a body: beside it, or in a folder there, never elsewhere. */
function readAttached(name: string, file: string): Buffer | undefined {
  const folder = dirname(resolve(name));
  const path = resolve(folder, file);
  if (name === '-' || !path.startsWith(join(folder, sep))) return undefined;
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Undefined: the signal came first. */
async function readStandardInput(signal?: AbortSignal): Promise<Buffer | undefined> {
  try {
    return await buffer(signal ? addAbortSignal(signal, process.stdin) : process.stdin);
  } catch (cause) {
    if (signal?.aborted === true) return undefined;
    throw unreadable('-', cause);
  }
}

function filesAt(path: string): readonly string[] {
  if (!orRefuse(path, () => statSync(path)).isDirectory()) return [path];
  const entries: Dirent[] = orRefuse(path, () =>
    readdirSync(path, { recursive: true, withFileTypes: true }),
  );
  const files = entries
    .filter((entry) => entry.isFile() && /\.(json|ndjson|har)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new CaptureError(path, 'holds no .json, .ndjson or .har');
  return files;
}

function orRefuse<T>(path: string, read: () => T): T {
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
