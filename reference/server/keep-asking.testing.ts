import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * Starts a client that keeps asking for a URL over one connection, and over a new one where the
 * service ends it: `answered` resolves at the first reply, `refused` once nobody listens any more;
 * it rejects if a request is lost.
 */
export function askUntilRefused(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (): Promise<void> => {
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { agent }, resolve).on('error', reject);
    });
    await text(reply);
  };
  const askOn = async (): Promise<void> => {
    try {
      for (;;) await ask();
    } catch (error) {
      agent.destroy();
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
    }
  };
  const first = ask();
  return { answered: first, refused: first.then(askOn) };
}
