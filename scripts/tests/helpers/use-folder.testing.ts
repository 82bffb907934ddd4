import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

/** Returns a folder for the files of a suite, or of the test that `onEnd` ends with; it goes with it. */
export function useFolder(onEnd: (cleanUp: () => void) => void = afterAll) {
  const folder = mkdtempSync(join(tmpdir(), 'swapcheck-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  const at = (...names: readonly string[]): string => join(folder, ...names);
  return {
    folder,
    at,
    read: (name: string): string => readFileSync(at(name), 'utf8'),
    readJson: (name: string) => JSON.parse(readFileSync(at(name), 'utf8')),
    /** Writes a file, what is no text as JSON, and returns its path. */
    write(name: string, content: unknown): string {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
      return at(name);
    },
  };
}
