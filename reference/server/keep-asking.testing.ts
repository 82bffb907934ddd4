import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** A client that asks again and again over one connection. */
export type AskingClient = {
  /** Resolves at the first reply. */
  readonly answered: Promise<void>;
  /** Resolves at the reply that ends the connection; rejects if a request is lost. */
  readonly closed: Promise<void>;
};

/** Starts a client that keeps asking for a URL until it is told that its connection ends. */
export function askUntilClosed(url: string): AskingClient {
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
  return { answered: first.then(() => undefined), closed: first.then(askOn) };
}
