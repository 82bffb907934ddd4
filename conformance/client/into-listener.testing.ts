import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Transport, WireReply } from './transport.ts';

/**
 * A transport into a listener of this process, without HTTP between them: for
 * tests that ask much. The listener must answer, whole and by itself: no time
 * runs out here, and there is no connection that it could cut.
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
        // Not at once: whoever ends a run would have no turn before its last request.
        setImmediate(() => listener(request, answering(request, resolve)));
      }),
  };
}

/** A response that is told of once it has ended. */
function answering(request: IncomingMessage, resolve: (reply: WireReply) => void): ServerResponse {
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
      release: () => undefined,
    });
    return response;
  };
  return Object.assign(response, { end });
}
