import { createApp } from './app.ts';
import { createHttpServer, listen } from './http-server.ts';
import type { ReferenceOptions } from './options.ts';

/** A reference that answers over HTTP. */
export type RunningReference = {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Lets what is being answered finish, then frees the port. */
  readonly close: () => Promise<void>;
};

/** Where the reference listens, and how it serves. */
type StartOptions = ReferenceOptions & {
  /** Default 0: a free port. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
};

/**
 * Starts the reference in this process. Its client likely shares the event loop
 * and delays it, so planning waits up to 10 s before it is shed, unless
 * `planningLimits` says otherwise.
 *
 * @throws {CannotListenError} if the port is in use
 */
export async function startReference({
  port = 0,
  host = '127.0.0.1',
  ...options
}: StartOptions = {}): Promise<RunningReference> {
  const app = createApp({ planningLimits: { maxQueued: 4096, maxWaitMs: 10_000 }, ...options });
  const { url, drain } = await listen(createHttpServer(app.callback()), port, host);
  // Nobody is to wait for the connections that clients in this process keep open.
  return { url, close: () => drain(0) };
}
