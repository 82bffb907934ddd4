import type * as http from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from './clock.ts';

/** Connections that stay open between requests, and what is known of how the service treats them. */
export type KeptConnections = ReturnType<typeof keepConnections>;

/** A service may close a connection that lies idle for so long, as often as it likes. */
const IDLE_MS = 1000;

/**
 * One that closes kept connections sooner, and does not say so, is asked on new
 * ones once so many were lost: there an end is its answer.
 */
const MAX_LOST = 3;

export function keepConnections(agent: http.Agent, { now }: Clock) {
  const repliedAt = new WeakMap<Socket, number>();
  /** Kept connections that ended as they were used again. */
  let lost = 0;
  return {
    /** What to send over; `false` stands for a new connection each time. */
    agent: () => (lost < MAX_LOST ? agent : false),
    replied: (socket: Socket) => void repliedAt.set(socket, now()),
    /** Whether a request failed for the connection that it went over, not for what it asked. */
    isStale: ({ socket }: http.ClientRequest, error: Error, sentAt: number): boolean => {
      const idleSince = socket === null ? undefined : repliedAt.get(socket);
      if (idleSince === undefined) return false;
      if (sentAt - idleSince >= IDLE_MS) return true;
      const isEnd = 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      if (isEnd) lost++;
      return isEnd;
    },
    close: () => agent.destroy(),
  };
}

/**
 * A kept connection that the service closed as the request went out: whether it
 * was asked is not known, so the request goes out again on a new one.
 *
 * @see RFC 9112, 9.3.1: retrying requests
 */
export class StaleConnection extends Error {
  override readonly name = 'StaleConnection';

  constructor(cause: Error) {
    super('a kept connection was closed as it was used again', { cause });
  }
}
