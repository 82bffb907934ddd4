import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JsonRpcError, type Rpc } from './json-rpc.ts';

/** JSON-RPC over HTTP on the loopback. */
export type RpcServer = { readonly url: string; readonly stop: () => Promise<void> };

const SERVER_ERROR = -32000;

/**
 * Serves what `rpc` answers, one call a request. `describe` says in words what
 * the caller is told of an error; default its message.
 */
export async function serveRpc(
  rpc: Rpc,
  {
    port = 0,
    describe = messageOf,
  }: { readonly port?: number; readonly describe?: (error: unknown) => string } = {},
): Promise<RpcServer> {
  const answer = async ({ id, method, params }: Call): Promise<object> => {
    try {
      return { jsonrpc: '2.0', id, result: await rpc(method, params) };
    } catch (error) {
      const code = error instanceof JsonRpcError ? error.code : undefined;
      return {
        jsonrpc: '2.0',
        id,
        error: { code: code ?? SERVER_ERROR, message: describe(error) },
      };
    }
  };
  const server = createServer(async (request, response) => {
    const text = JSON.stringify(await answer(await callIn(request)));
    response.setHeader('content-type', 'application/json');
    response.end(text);
  });
  // A caller that takes a connection up again as it is closed loses its call.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] };

async function callIn(request: IncomingMessage): Promise<Call> {
  let text = '';
  for await (const part of request) text += part;
  try {
    return JSON.parse(text) as Call;
  } catch {
    // Not from a fork: it is told that there is no such method.
    return { id: null, method: '' };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
