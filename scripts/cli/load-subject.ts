import { fork } from 'node:child_process';
import { extname } from 'node:path';
import type { Subject } from '../../load/commands/subject.ts';

/**
 * Starts the reference in a separate process, so that it takes no CPU time from the client that
 * measures it.
 */
export function startSubject(): Promise<Subject> {
  return new Promise((resolve, reject) => {
    const child = fork(ENTRY, { execArgv: EXEC_ARGV });
    const exited = new Promise<void>((done) => child.once('exit', () => done()));
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`the reference exited with ${code} during startup`)),
    );
    child.once('message', (message: { readonly url: string; readonly apiKey: string }) =>
      resolve({
        ...message,
        close: () => {
          child.disconnect();
          return exited;
        },
      }),
    );
  });
}

// Next to this file: TypeScript in a checkout, JavaScript in a build.
const EXTENSION = extname(import.meta.url);
const ENTRY = new URL(`./load-subject-entry${EXTENSION}`, import.meta.url);
const EXEC_ARGV = EXTENSION === '.ts' ? ['--import', 'tsx'] : [];
