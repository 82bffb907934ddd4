import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../client/clock.ts';
import { createRpc, hideUrl, JsonRpcError, originOf, type Rpc } from './json-rpc.ts';
import { keepReads } from './kept-reads.ts';
import { lossMark, NodeLossError } from './node-losses.ts';
import { createPatientRpc } from './patient-rpc.ts';

/**
 * A node of ours on the loopback that asks another's: it has the key, the
 * patience and the memory that a fork lacks.
 */
export type NodeRelay = {
  /** JSON-RPC over HTTP on the loopback, without a key. */
  readonly url: string;
  /** The same, called from within. */
  readonly rpc: Rpc;
  /** Reads anew at a block what was read of those before it. */
  readonly carryTo: (block: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** What a fork asks of its node; it asks for accounts whole as well, which few nodes know. */
const READS =
  /^(eth_(get(?!AccountInfo)|chainId|blockNumber|gasPrice|feeHistory|call$)|net_version)/;
const METHOD_NOT_FOUND = -32601;
const SERVER_ERROR = -32000;

/** Starts a relay in front of the node at `url`, which may hold a key. */
export async function startNodeRelay(
  url: string,
  options: { readonly clock?: Clock } = {},
): Promise<NodeRelay> {
  const ending = new AbortController();
  const origin = originOf(url);
  const patient = createPatientRpc(createRpc(url), { ...options, origin, signal: ending.signal });
  const { rpc, carryTo } = keepReads(patient);
  const server = createServer(async (request, response) => {
    const text = await answer(rpc, url, await bodyOf(request));
    response.setHeader('content-type', 'application/json');
    response.end(text);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    rpc,
    carryTo,
    stop: async () => {
      ending.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] };

async function answer(rpc: Rpc, url: string, { id, method, params }: Call): Promise<string> {
  const reply = (rest: object) => JSON.stringify({ jsonrpc: '2.0', id, ...rest });
  if (!READS.test(method)) {
    return reply({ error: { code: METHOD_NOT_FOUND, message: `${method} is not relayed` } });
  }
  try {
    return reply({ result: await rpc(method, params) });
  } catch (error) {
    if (error instanceof NodeLossError) {
      return reply({ error: { code: SERVER_ERROR, message: lossMark(error.loss) } });
    }
    const code = error instanceof JsonRpcError ? error.code : undefined;
    const message = error instanceof Error ? hideUrl(error.message, url) : 'no answer';
    return reply({ error: { code: code ?? SERVER_ERROR, message } });
  }
}

async function bodyOf(request: IncomingMessage): Promise<Call> {
  let text = '';
  for await (const part of request) text += part;
  return JSON.parse(text) as Call;
}
