import type { ChainState } from '../../model/chain-state.ts';
import { hideUrl, JsonRpcError, type Rpc } from './json-rpc.ts';
import type { ChainNode } from './node.ts';
import { serveRpc } from './rpc-server.ts';
import { noteRead } from './saved-state.ts';

/**
 * Methods that are relayed. A fork calls only these, and reads of whole accounts, which few nodes
 * support.
 */
const READS =
  /^(eth_(get(?!AccountInfo)|chainId|blockNumber|gasPrice|feeHistory|call$)|net_version)/;
const METHOD_NOT_FOUND = -32601;
const ZEROS = (bytes: number) => `0x${'0'.repeat(2 * bytes)}`;
/** A fork requires these fields of a block, but some chains lack them. No rule depends on them. */
const HEADER: Readonly<Record<string, unknown>> = {
  parentHash: ZEROS(32),
  sha3Uncles: ZEROS(32),
  miner: ZEROS(20),
  stateRoot: ZEROS(32),
  transactionsRoot: ZEROS(32),
  receiptsRoot: ZEROS(32),
  logsBloom: ZEROS(256),
  difficulty: '0x0',
  gasLimit: '0x0',
  gasUsed: '0x0',
  extraData: '0x',
  mixHash: ZEROS(32),
  uncles: [],
};

/**
 * Starts a relay on the loopback interface that calls a node. Unlike the fork, the relay knows the
 * node's key.
 */
export async function startNodeRelay({
  url,
  rpc,
  markFor,
}: Pick<ChainNode, 'url' | 'rpc' | 'markFor'>) {
  let noted: ChainState | undefined;
  let forkedBlock = Number.POSITIVE_INFINITY;
  const relayed: Rpc = async (method, params) => {
    // A fork even requests the hashes of blocks that it simulates after the forked block.
    if (method === 'eth_getBlockByNumber' && Number(params?.[0]) > forkedBlock)
      return null as never;
    if (READS.test(method)) {
      const answer = withRequiredFields(method, await rpc<never>(method, params));
      if (noted !== undefined) noteRead(noted, method, params ?? [], answer);
      return answer;
    }
    const message = 'the method is not relayed';
    throw new JsonRpcError(method, { code: METHOD_NOT_FOUND, message });
  };
  const describe = (error: unknown) => hideUrl(markFor(error), url);
  const server = await serveRpc(relayed, { describe });
  return {
    /** URL of JSON-RPC over HTTP on the loopback interface, without a key. */
    url: server.url,
    /** Sets the forked block. For the fork, no later block exists. */
    forkAt: (block: number) => {
      forkedBlock = block;
    },
    /** Records the fork's later reads in a state, if one is given. */
    noteIn: (state: ChainState | undefined) => {
      noted = state;
    },
    stop: server.stop,
  };
}

function withRequiredFields<Answer>(method: string, answer: Answer): Answer {
  if (method !== 'eth_getBlockByNumber' || typeof answer !== 'object' || answer === null) {
    return answer;
  }
  const present = Object.entries(answer).filter(([, value]) => value !== null);
  return { ...HEADER, ...Object.fromEntries(present) } as Answer;
}
