import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { PROGRAM } from '../../scripts/tests/helpers/built-program.testing.ts';
import { useFolder } from '../../scripts/tests/helpers/use-folder.testing.ts';
import { superviseWorkers } from './workers.ts';

/** As built: a worker runs it without the loader of the tests. */
const WORKERS = new URL('../reference/server/workers.js', pathToFileURL(PROGRAM)).href;

const { write } = useFolder();
const serving = write(
  'serving.cjs',
  `const server = require('node:http').createServer((_, response) => response.end(String(process.pid)));
   process.once('SIGTERM', () => server.close(() => process.exit(0)));
   server.listen(0, '127.0.0.1');`,
);
const failing = write('failing.cjs', 'process.exit(2);');

const notes = write('notes.txt', '');
const draining = write(
  'draining.cjs',
  `const { appendFileSync } = require('node:fs');
   const { createServer } = require('node:http');
   const { worker } = require('node:cluster');
   const note = (what) => appendFileSync(${JSON.stringify(notes)}, what);
   const server = createServer(() => {}).listen(0, '127.0.0.1');
   process.once('SIGTERM', async () => {
     const { untilAllClosed } = await import(${JSON.stringify(WORKERS)});
     // The second lags behind: its processor has other work.
     await new Promise((resolve) => setTimeout(resolve, worker.id === 2 ? 300 : 0));
     server.close();
     note('closed ');
     await untilAllClosed();
     note('told ');
     process.exit(0);
   });`,
);

/**
 * Asks, on a new connection each time, until one of the workers `isMet`. A
 * connection handed to a worker while it is killed is never answered.
 */
async function pidFrom(port: number, isMet: (pid: number) => boolean): Promise<number> {
  for (;;) {
    const pid = await fetch(`http://127.0.0.1:${port}`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(1_000),
    }).then(
      async (reply) => Number(await reply.text()),
      () => undefined,
    );
    if (pid !== undefined && isMet(pid)) return pid;
  }
}

/** Supervises two workers that run `program`. */
function supervise(program: string) {
  cluster.setupPrimary({ exec: program, execArgv: [] });
  const restarts: { readonly pid: number; readonly how: string }[] = [];
  let onReady: (port: number) => void = () => {};
  const port = new Promise<number>((resolve) => {
    onReady = resolve;
  });
  const supervisor = superviseWorkers({
    count: 2,
    onReady,
    onRestart: (died) => restarts.push(died),
  });
  return { ...supervisor, restarts, port };
}

describe('superviseWorkers', () => {
  test('one of two killed -> another takes its place; stopped -> all end with 0', async () => {
    const { stop, finished, restarts, port } = supervise(serving);
    const first = await pidFrom(await port, () => true);
    const second = await pidFrom(await port, (pid) => pid !== first);
    process.kill(first, 'SIGKILL');
    await pidFrom(await port, (pid) => pid !== first && pid !== second);
    expect(restarts).toEqual([{ pid: first, how: 'SIGKILL' }]);
    stop();
    expect(await finished).toBe(0);
  });

  test('stopped while one lags behind -> told that none listens once it is so of both', async () => {
    const { stop, finished, port } = supervise(draining);
    await port;
    stop();
    expect(await finished).toBe(0);
    expect(readFileSync(notes, 'utf8')).toBe('closed closed told told ');
  });

  test('the first cannot start -> its exit code, and no other is started', async () => {
    const { finished, restarts } = supervise(failing);
    expect(await finished).toBe(2);
    expect(restarts).toEqual([]);
  });
});
