import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

/** Returns a temporary folder, which is deleted at the end of the suite, or when `onEnd` calls its argument. */
export function useFolder(onEnd: (cleanUp: () => void) => void = afterAll) {
  const folder = mkdtempSync(join(tmpdir(), 'swapcheck-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  const at = (...names: readonly string[]): string => join(folder, ...names);
  return {
    folder,
    at,
    read: (name: string): string => readFileSync(at(name), 'utf8'),
    readJson: (name: string) => JSON.parse(readFileSync(at(name), 'utf8')),
    /** Writes a file and returns its path; content that is not a string is written as JSON. */
    write(name: string, content: unknown): string {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
      return at(name);
    },
  };
}
