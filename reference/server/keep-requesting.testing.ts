import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * Starts a client that keeps requesting a URL over one connection. When the service ends the
 * connection, the client opens another. `responded` resolves at the first reply. `closed` resolves
 * when a new connection is refused, and rejects if a request is lost.
 */
export function requestUntilRefused(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const request = async (): Promise<void> => {
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { agent }, resolve).on('error', reject);
    });
    await text(reply);
  };
  const keepRequesting = async (): Promise<void> => {
    try {
      for (;;) await request();
    } catch (error) {
      agent.destroy();
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
    }
  };
  const responded = request();
  return { responded, closed: responded.then(keepRequesting) };
}
