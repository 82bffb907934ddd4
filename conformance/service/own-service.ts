import { type ChildProcess, spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { createWriteStream, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createHttpTransport } from '../client/http-transport.ts';
import type { Reach } from '../client/reach.ts';
import { printable } from '../output/printable.ts';
import { notify } from '../output/terminal.ts';
import { UsageError } from '../output/usage-error.ts';
import type { ServiceStart } from './config-file.ts';
import { GATEWAY_STATUSES, waitForService } from './wait-for-service.ts';

const INCOMPLETE = 3;
/** After this time, a service that ignores SIGTERM is killed. */
const MAX_STOP_MS = 5_000;
const MAX_QUOTED_OUTPUT = 500;

/**
 * Starts the user's service, waits until it is ready, does the work and stops the service. Returns
 * the exit code of the work. If the service is not ready in time, returns what `fail` returns for
 * the reason. If the service ends early, the signal passed to the work aborts with a text as its
 * reason, and the result is 3.
 *
 * @throws {UsageError} if something responds at the URL before the service is started.
 */
export async function withOwnService(
  url: URL,
  { start, reach }: { readonly start: ServiceStart; readonly reach: Reach },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<number>,
  fail: (why: string) => Promise<number> = reportFailure,
): Promise<number> {
  await assertNothingResponds(url, start.path, reach, signal);
  const service = startProcess(start, portOf(url));
  const either = AbortSignal.any([signal, service.ended]);
  // Each request in flight adds a listener, as in `interruptible`.
  setMaxListeners(0, either);
  try {
    const late = await waitForService(url, { ...reach, ...start }, either);
    if (late !== undefined && !signal.aborted) {
      const why = service.ended.aborted ? service.ended.reason : late;
      return await fail(`start: ${why}${service.lastOutput()}`);
    }
    const code = await work(either);
    if (!service.ended.aborted || signal.aborted) return code;
    notify(`start: ${service.ended.reason}${service.lastOutput()}`);
    return INCOMPLETE;
  } finally {
    await service.stop();
    notify(`The output of the service is in ${start.log}.`);
  }
}

async function reportFailure(why: string): Promise<number> {
  notify(why);
  return INCOMPLETE;
}

const STALE_SERVICE_TIMEOUT_MS = 2_000;

/**
 * Rejects a URL at which something responds, because a service that already runs there would be
 * judged instead of the one that we start.
 */
async function assertNothingResponds(
  url: URL,
  path: string,
  reach: Reach,
  signal: AbortSignal,
): Promise<void> {
  const options = { ...reach, connections: 1, timeoutMs: STALE_SERVICE_TIMEOUT_MS };
  const transport = createHttpTransport(url, options);
  const outcome = await transport.send({ method: 'GET', target: path, signal });
  await transport.close();
  if (outcome.kind === 'no-reply') {
    if (['refused', 'network', 'aborted'].includes(outcome.cause)) return;
  } else if (GATEWAY_STATUSES.includes(outcome.status)) {
    // A gateway responds before its service does.
    return;
  }
  throw new UsageError(
    `start: something already responds at port ${portOf(url)} of ${url.hostname}: stop it, or pass ${url.origin} to judge it instead`,
  );
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

type OwnProcess = {
  /** Aborts when the process ends. The reason is a text. */
  readonly ended: AbortSignal;
  /** Returns a clause with the last lines of the output, if there is any. */
  readonly lastOutput: () => string;
  /** Ends the process and its children. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts the command in its own process group, so that all its processes can be stopped. The
 * command gets the port of the URL as `PORT`, and does not see the API key.
 *
 * @throws {UsageError} if the log is a pipe.
 */
function startProcess({ command, log }: ServiceStart, port: string): OwnProcess {
  mkdirSync(dirname(log), { recursive: true });
  // Opening a pipe that nobody reads would wait without end.
  if (statSync(log, { throwIfNoEntry: false })?.isFIFO()) {
    throw new UsageError(`the output of the service cannot be written to ${log}, which is a pipe`);
  }
  const file = createWriteStream(log);
  const { SWAPCHECK_API_KEY: _, ...inherited } = process.env;
  const env = { ...inherited, PORT: port };
  const isWindows = process.platform === 'win32';
  const child = spawn(command, {
    ...{ shell: true, env, detached: !isWindows },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      file.write(chunk);
      output = `${output}${chunk}`.slice(-MAX_QUOTED_OUTPUT);
    });
  }
  const ending = new AbortController();
  const shown = `'${printable(command, 200)}'`;
  const closed = once(child, 'close').then(
    () =>
      ending.abort(`${shown} ended with ${child.exitCode ?? child.signalCode} before the run did`),
    (error: Error) => ending.abort(`${shown} could not be started: ${error.message}`),
  );
  return {
    ended: ending.signal,
    lastOutput: () =>
      output.trim() === '' ? '' : `; its last output: ${JSON.stringify(output.trim())} (${log})`,
    stop: async () => {
      const kill = (signal: NodeJS.Signals) => killGroup(child, signal, isWindows);
      kill('SIGTERM');
      const timer = setTimeout(() => kill('SIGKILL'), MAX_STOP_MS);
      await closed;
      clearTimeout(timer);
      await new Promise((resolve) => file.end(resolve));
    },
  };
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals, isWindows: boolean): void {
  try {
    if (isWindows || child.pid === undefined) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group has ended.
  }
}
