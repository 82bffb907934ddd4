import { createApp } from './app.ts';
import { createHttpServer, listen } from './http-server.ts';
import type { ReferenceOptions } from './options.ts';

/** A running reference. */
export type RunningReference = {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Finishes the requests in progress, then frees the port. */
  readonly close: () => Promise<void>;
};

type StartOptions = ReferenceOptions & {
  /** Default 0, which selects a free port. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
};

/**
 * Starts the reference in this process. Its client probably runs here too and sends in bursts, so
 * by default up to 4096 trades wait to be planned.
 *
 * @throws {CannotListenError} if the port is in use
 */
export async function startReference({
  port = 0,
  host = '127.0.0.1',
  ...options
}: StartOptions = {}): Promise<RunningReference> {
  const app = createApp({ maxQueued: 4096, ...options });
  const { url, drain } = await listen(createHttpServer(app.callback()), port, host);
  // Connections of clients in this process need no grace period.
  return { url, close: () => drain(0) };
}
