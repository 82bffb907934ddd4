import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Agent, Response } from 'supertest';
import { noReplyFrom } from '../client/no-reply.ts';
import type { Transport } from '../client/transport.ts';

export type ListenerOptions = {
  /** Of a whole exchange. Default 10,000. */
  readonly timeoutMs?: number;
  /** Of a body, content codings undone. Default 16 MiB. */
  readonly maxBodyBytes?: number;
};

/** Carries requests through supertest into a listener such as Koa's `callback()`. */
export async function createListenerTransport(
  listener: RequestListener,
  { timeoutMs = 10_000, maxBodyBytes = 4 * 2 ** 20 }: ListenerOptions = {},
): Promise<Transport> {
  const { default: supertest } = await import('supertest');
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent: Agent = supertest.agent(server);
  const { port } = server.address() as AddressInfo;
  return {
    send: async ({ method, target, signal }) => {
      const request = agent[verbOf(method)](target)
        .redirects(0)
        .ok(() => true)
        .buffer(true)
        .timeout({ deadline: timeoutMs })
        .parse(readBytes(maxBodyBytes));
      const abort = () => void request.abort();
      signal.addEventListener('abort', abort, { once: true });
      try {
        const response: Response = await request;
        // superagent keeps node's message here; its own headers are folded.
        const { rawHeaders } = (response as unknown as { res: IncomingMessage }).res;
        return {
          kind: 'wire-reply',
          status: response.status,
          rawHeaders,
          body: Buffer.isBuffer(response.body) ? response.body : Buffer.alloc(0),
          release: () => undefined,
        };
      } catch (error) {
        const timedOut = error instanceof Error && 'timeout' in error;
        return noReplyFrom(error, {
          timedOutAfterMs: timedOut ? timeoutMs : undefined,
          aborted: signal.aborted,
          host: `127.0.0.1:${port}`,
        });
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Verb = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options';

function verbOf(method: string): Verb {
  const verb = VERBS.find((each) => each === method.toLowerCase());
  if (verb === undefined) throw new UnknownMethodError(method);
  return verb;
}

const VERBS: readonly Verb[] = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'];

function readBytes(maxBytes: number) {
  return (response: Response, done: (error: Error | null, body: Buffer) => void): void => {
    const message = response as unknown as IncomingMessage;
    const chunks: Buffer[] = [];
    let length = 0;
    message.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes)
        message.destroy(new Error(`the body is larger than ${maxBytes} bytes`));
      else chunks.push(chunk);
    });
    message.on('end', () => done(null, Buffer.concat(chunks)));
    message.on('error', (error) => done(error, Buffer.alloc(0)));
  };
}

/** supertest has no such method. */
export class UnknownMethodError extends Error {
  override readonly name = 'UnknownMethodError';

  constructor(method: string) {
    super(`supertest cannot send ${method}`);
  }
}
