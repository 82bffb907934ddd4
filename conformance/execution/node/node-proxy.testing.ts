import { setTimeout } from 'node:timers/promises';
import { serve } from '../../../fixtures/testing/tiny-server.testing.ts';

export type NodeCall = {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
};

/** A proxy in front of a node, which counts the calls and replies to selected calls itself. */
export type NodeProxy = {
  readonly url: string;
  readonly calls: readonly NodeCall[];
  readonly stop: () => Promise<void>;
};

/**
 * A reply instead of the node's: a JSON-RPC error, a bare HTTP status, another result, or the
 * result for other parameters.
 */
export type Fault =
  | { readonly code?: number; readonly message: string }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly result: unknown }
  | { readonly params: readonly unknown[] };

/**
 * Starts a proxy in front of the node at `target`; `faultOf` returns the fault of a call, if any.
 * Every reply is delayed.
 */
export async function startNodeProxy(
  target: string,
  faultOf: (call: NodeCall) => Fault | undefined = () => undefined,
  delayMs = 0,
): Promise<NodeProxy> {
  const calls: NodeCall[] = [];
  const { url, close } = await serve(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const call = JSON.parse(body) as NodeCall;
    calls.push(call);
    if (delayMs > 0) await setTimeout(delayMs);
    const fault = faultOf(call);
    if (fault !== undefined && 'status' in fault) {
      response.writeHead(fault.status, fault.headers).end();
      return;
    }
    const headers = { 'content-type': 'application/json' };
    const asked =
      fault !== undefined && 'params' in fault ? JSON.stringify({ ...call, ...fault }) : body;
    const answer = async () =>
      (await fetch(target, { method: 'POST', headers, body: asked })).text();
    const outcome = fault !== undefined && 'result' in fault ? fault : { error: fault };
    const text =
      fault === undefined || 'params' in fault
        ? await answer()
        : JSON.stringify({ jsonrpc: '2.0', id: call.id, ...outcome });
    response.writeHead(200, headers).end(text);
  });
  return { url: `${url}/v2/a1b2c3d4e5f6`, calls, stop: close };
}
