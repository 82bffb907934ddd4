import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The least time between two tries: a service that is away, or closes at once, is asked no faster. */
const PAUSE_MS = 200;

/**
 * Resolves with true once a service that went away takes connections again, and
 * with false once `signal` aborts. It holds one idle connection: when that is
 * closed, the service is gone if it then takes no other, and only tired of an
 * idle client if it does.
 *
 * @param dial - Opens a connection; default `net.connect`.
 */
export async function restarted(
  { protocol, hostname, port }: URL,
  signal: AbortSignal,
  dial: (where: Address) => Socket = connect,
): Promise<boolean> {
  const where = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
  for (let isAway = false; !signal.aborted; ) {
    const openedAt = performance.now();
    const socket = await answered(dial(where), signal);
    if (socket === undefined) isAway = true;
    else if (isAway) {
      socket.destroy();
      return true;
    } else await untilClosed(socket, signal);
    // What was held long is tried again at once: a service may be away for a moment only.
    const restMs = PAUSE_MS - (performance.now() - openedAt);
    if (restMs > 0) await sleep(restMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

type Address = { readonly host: string; readonly port: number };

/** Returns a connection that stands, or undefined where nobody takes it. */
async function answered(socket: Socket, signal: AbortSignal): Promise<Socket | undefined> {
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch {
    // Refused, unreachable, or no longer wanted: nobody is there.
    socket.destroy();
    return undefined;
  }
}

async function untilClosed(socket: Socket, signal: AbortSignal): Promise<void> {
  await once(socket.resume(), 'close', { signal }).catch(() => undefined);
  socket.destroy();
}
