import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reach } from '../client/reach.ts';
import { printable } from '../output/printable.ts';
import { waitForService } from './wait-for-service.ts';

/** How the user's service is started, from the configuration. */
export type StartOptions = {
  /** A command for the shell. */
  readonly start: string;
  /** A path that responds once the service is ready. */
  readonly path: string;
  /** Maximum time until it is ready. */
  readonly seconds: number;
  /** The file for its output. */
  readonly log: string;
};

/** A service that was started; `failure` is the reason if it is not ready. */
export type OwnService = { readonly failure?: string; readonly stop: () => Promise<void> };

/** Time between asking a service to end and ending it. */
const MAX_STOP_MS = 5_000;

/** Starts the user's service and waits until it is ready. Its process group is stopped as a whole. */
export async function startOwnService(
  url: URL,
  { start, path, seconds, log, ...reach }: StartOptions & Reach,
  signal: AbortSignal,
): Promise<OwnService> {
  mkdirSync(dirname(log), { recursive: true });
  const output = createWriteStream(log);
  const { SWAPCHECK_API_KEY: _, ...env } = process.env;
  const isWindows = process.platform === 'win32';
  const child = spawn(start, {
    shell: true,
    env,
    detached: !isWindows,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output.write(chunk);
      tail = `${tail}${chunk}`.slice(-MAX_TAIL);
    });
  }
  const ending = new AbortController();
  let isEnded = false;
  const ended = once(child, 'close').then(() => {
    isEnded = true;
    ending.abort();
  });
  const kill = (name: NodeJS.Signals) => {
    try {
      if (isWindows || child.pid === undefined) child.kill(name);
      else process.kill(-child.pid, name);
    } catch {
      // The group has ended.
    }
  };
  const stop = async () => {
    kill('SIGTERM');
    const timer = setTimeout(() => kill('SIGKILL'), MAX_STOP_MS);
    await ended;
    clearTimeout(timer);
    await new Promise((resolve) => output.end(resolve));
  };
  const either = AbortSignal.any([signal, ending.signal]);
  const late = await waitForService(url, { ...reach, path, seconds }, either);
  if (late === undefined && !isEnded) return { stop };
  const why = isEnded
    ? `'${printable(start, 200)}' ended with ${child.exitCode ?? child.signalCode} before the service was ready`
    : `${late}`;
  const last =
    tail.trim() === ''
      ? ''
      : `; its last output: ${JSON.stringify(printable(tail.trim(), MAX_TAIL))}`;
  return { stop, failure: `start: ${why}${last} (${log})` };
}

const MAX_TAIL = 500;
