/** How long a service is known to keep connections that lie idle. */
export type KeepAlive = {
  /** The longest that one lay idle, in milliseconds, before a request that was answered. */
  longestMs: number;
};

/** How many times longer. Services look for idle connections at intervals, so that one may live a little longer than another. */
const MUCH_LONGER = 3;

/**
 * Whether a request may have crossed with the end of a connection that was kept,
 * since nothing came back. Where others were answered after lying idle much longer,
 * that is no reason to close this one: the service took the request and lost it.
 *
 * @see RFC 9112, section 9.3.1
 */
export function mayHaveCrossed(connection: {
  readonly idleMs: number;
  readonly keepAlive: KeepAlive;
}): boolean {
  return connection.idleMs >= connection.keepAlive.longestMs / MUCH_LONGER;
}
