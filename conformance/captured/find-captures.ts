import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CaptureError, type CaptureSource } from './read-capture.ts';

/**
 * The files that paths name, one at a time: a folder stands for every .json,
 * .ndjson and .har in it, at any depth, by name; `-` for standard input.
 *
 * @throws {CaptureError} for a path that cannot be read, or a folder without any.
 */
export function* findCaptures(paths: readonly string[]): Generator<CaptureSource> {
  for (const path of paths) {
    const files = path === '-' ? ['-'] : filesAt(path);
    for (const name of files) {
      yield { name, bytes: orRefuse(name, () => readFileSync(name === '-' ? 0 : name)) };
    }
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
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    throw new CaptureError(path, `cannot be read (${code})`);
  }
}
