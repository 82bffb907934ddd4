import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../../contract/message-of.ts';
import { JsonRpcError, type Rpc } from './json-rpc.ts';

/** JSON-RPC over HTTP on the loopback interface. */
export type RpcServer = { readonly url: string; readonly stop: () => Promise<void> };

const SERVER_ERROR = -32000;

/**
 * Serves the results of `rpc`. A request is a call or a batch of calls. `describe` returns the text
 * to send for an error. Default: the error's message.
 */
export async function serveRpc(
  rpc: Rpc,
  {
    port = 0,
    describe = messageOf,
  }: { readonly port?: number; readonly describe?: (error: unknown) => string } = {},
): Promise<RpcServer> {
  const resultOf = async (body: unknown): Promise<object> => {
    const { id, method, params } = isCall(body) ? body : NO_CALL;
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
    const body = await jsonIn(request);
    const results = Array.isArray(body) ? Promise.all(body.map(resultOf)) : resultOf(body);
    const text = JSON.stringify(await results);
    response.setHeader('content-type', 'application/json');
    response.end(text);
  });
  // Keeps idle connections open: a caller that reused a closing connection would lose its call.
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

/** Replaces a request that is not a call, so that the response reports an unknown method. */
const NO_CALL: Call = { id: null, method: '' };

function isCall(body: unknown): body is Call {
  const { method, params = [] } = (body ?? {}) as Partial<Call>;
  return typeof method === 'string' && Array.isArray(params);
}

async function jsonIn(request: IncomingMessage): Promise<unknown> {
  try {
    let text = '';
    for await (const part of request) text += part;
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
