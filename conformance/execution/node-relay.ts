import type { Clock } from '../client/clock.ts';
import type { ChainState } from '../model/chain-state.ts';
import { createRpc, hideUrl, JsonRpcError, originOf, type Rpc } from './json-rpc.ts';
import { keepReads } from './kept-reads.ts';
import { noticeLag } from './lagging-node.ts';
import { lossMark, NodeLossError } from './node-losses.ts';
import { createPatientRpc } from './patient-rpc.ts';
import { serveRpc } from './rpc-server.ts';
import { noteRead } from './saved-state.ts';

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
  /** Adds what the fork reads from now on to a state, where one is given. */
  readonly noteIn: (state: ChainState | undefined) => void;
  readonly stop: () => Promise<void>;
};

/** What a fork asks of its node; it asks for accounts whole as well, which few nodes know. */
const READS =
  /^(eth_(get(?!AccountInfo)|chainId|blockNumber|gasPrice|feeHistory|call$)|net_version)/;
const METHOD_NOT_FOUND = -32601;

/** Starts a relay in front of the node at `url`, which may hold a key. */
export async function startNodeRelay(
  url: string,
  options: { readonly clock?: Clock } = {},
): Promise<NodeRelay> {
  const ending = new AbortController();
  const origin = originOf(url);
  const patient = createPatientRpc(noticeLag(createRpc(url)), {
    ...options,
    origin,
    signal: ending.signal,
  });
  const { rpc, carryTo } = keepReads(patient);
  let noted: ChainState | undefined;
  const relayed: Rpc = async (method, params) => {
    if (READS.test(method)) {
      const answer = await rpc<never>(method, params);
      if (noted !== undefined) noteRead(noted, method, params ?? [], answer);
      return answer;
    }
    const message = 'it is not relayed';
    throw new JsonRpcError(method, { code: METHOD_NOT_FOUND, message });
  };
  const describe = (error: unknown) =>
    error instanceof NodeLossError ? lossMark(error.loss) : hideUrl(String(error), url);
  const server = await serveRpc(relayed, { describe });
  return {
    url: server.url,
    rpc,
    carryTo,
    noteIn: (state) => {
      noted = state;
    },
    stop: () => {
      ending.abort();
      return server.stop();
    },
  };
}
