import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Returns the path of a program: of the variable if it is set, else from PATH.
 *
 * @throws that it is missing, and how it is installed: a test must not pass without it
 */
export function resolveExecutable(name: string, variable: string, install: string): string {
  const named = process.env[variable];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = named === undefined ? folders.map((folder) => join(folder, name)) : [named];
  const found = candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) {
    throw new Error(
      `This test runs ${name}, which is not installed: ${install}, or name one in ${variable}.`,
    );
  }
  return found;
}
