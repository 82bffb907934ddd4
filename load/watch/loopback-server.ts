import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../../conformance/contract/message-of.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';

/** A server that only this machine can reach. */
export type LoopbackServer = { readonly url: string; readonly close: () => Promise<void> };

/**
 * Serves requests on a loopback port; port 0 selects a free port. Rejects requests with another
 * host name, because a website could point its own name at this server.
 *
 * @param option - Command-line option that set the port, named in the error.
 * @throws {UsageError} if the port cannot be used
 */
export async function serveLoopback(
  port: number,
  option: string,
  answer: RequestListener,
): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    const host = request.headers.host?.replace(/:\d+$/, '');
    if (host === '127.0.0.1' || host === 'localhost') return answer(request, response);
    response.writeHead(403).end();
  });
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (cause) {
    const why = messageOf(cause);
    throw new UsageError(`${option} ${port}: ${why}`, { cause });
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
