import { serve } from '../../scripts/tiny-server.testing.ts';

export type NodeCall = {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
};

/** What stands before a node: it counts the calls, and answers those that it is told to answer itself. */
export type NodeProxy = {
  readonly url: string;
  readonly calls: readonly NodeCall[];
  readonly stop: () => Promise<void>;
};

/** An answer other than the node's: a JSON-RPC error, or a bare HTTP status. */
export type Fault =
  | { readonly code?: number; readonly message: string }
  | { readonly status: number };

/** Starts a proxy before the node at `target`; `faultOf` says which calls fail, and how. */
export async function startNodeProxy(
  target: string,
  faultOf: (call: NodeCall) => Fault | undefined = () => undefined,
): Promise<NodeProxy> {
  const calls: NodeCall[] = [];
  const { url, close } = await serve(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const call = JSON.parse(body) as NodeCall;
    calls.push(call);
    const fault = faultOf(call);
    if (fault !== undefined && 'status' in fault) {
      response.writeHead(fault.status).end();
      return;
    }
    const headers = { 'content-type': 'application/json' };
    const answer = async () => (await fetch(target, { method: 'POST', headers, body })).text();
    const text =
      fault === undefined
        ? await answer()
        : JSON.stringify({ jsonrpc: '2.0', id: call.id, error: fault });
    response.writeHead(200, headers).end(text);
  });
  return { url: `${url}/v2/a1b2c3d4e5f6`, calls, stop: close };
}
