import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * Starts a client that keeps asking for a URL over one connection: `answered` resolves at the first
 * reply, `closed` at the one that ends the connection; it rejects if a request is lost.
 */
export function askUntilClosed(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (): Promise<IncomingMessage> => {
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { agent }, resolve).on('error', reject);
    });
    await text(reply);
    return reply;
  };
  const first = ask();
  const askOn = async (reply: IncomingMessage): Promise<void> =>
    reply.headers.connection === 'close' ? agent.destroy() : askOn(await ask());
  return { answered: first, closed: first.then(askOn) };
}
