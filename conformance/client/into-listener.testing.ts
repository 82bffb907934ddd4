import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Transport, WireReply } from './transport.ts';

/**
 * Returns a transport that calls a listener in this process without HTTP, for tests with many
 * requests. The listener must send a complete reply, since there is no timeout and no connection to
 * close.
 */
export function intoListener(listener: RequestListener): Transport {
  const socket = new Socket();
  return {
    close: async () => undefined,
    send: ({ method, target, headers = {} }) =>
      new Promise((resolve) => {
        const request = Object.assign(new IncomingMessage(socket), {
          method,
          url: target,
          headers,
          rawHeaders: Object.entries({ Host: 'in-process', ...headers }).flat(),
        });
        // Deferred, so that a test can end the run before its last request reaches the listener.
        setImmediate(() => listener(request, resolveWhenEnded(request, resolve)));
      }),
  };
}

function resolveWhenEnded(
  request: IncomingMessage,
  resolve: (reply: WireReply) => void,
): ServerResponse {
  const response = new ServerResponse(request);
  const end = (body: string | Buffer = '') => {
    resolve({
      kind: 'wire-reply',
      status: response.statusCode,
      rawHeaders: Object.entries(response.getHeaders()).flatMap(([name, value]) => [
        name,
        `${value}`,
      ]),
      body: Buffer.from(body as string),
    });
    return response;
  };
  return Object.assign(response, { end });
}
