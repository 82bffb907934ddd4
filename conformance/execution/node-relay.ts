import type { Clock } from '../client/clock.ts';
import type { ChainState } from '../model/chain-state.ts';
import { cacheReads } from './cached-reads.ts';
import { createRpc, hideUrl, JsonRpcError, originOf, type Rpc } from './json-rpc.ts';
import { noticeLag } from './lagging-node.ts';
import {
  type Loss,
  lossIn,
  lossMark,
  NodeLossError,
  NodeRejectionError,
  REJECTION_MARK,
} from './node-losses.ts';
import { createPatientRpc } from './patient-rpc.ts';
import { messageOf, serveRpc } from './rpc-server.ts';
import { noteRead } from './saved-state.ts';

/** Methods that a fork calls; it also requests whole accounts, which few nodes support. */
const READS =
  /^(eth_(get(?!AccountInfo)|chainId|blockNumber|gasPrice|feeHistory|call$)|net_version)/;
const METHOD_NOT_FOUND = -32601;
const ZEROS = (bytes: number) => `0x${'0'.repeat(2 * bytes)}`;
/** Fields of a block that a fork requires, but that other or older chains lack; no rule judges them. */
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
 * Starts a relay on the loopback interface for the node at `url`, which may contain a key. Unlike a
 * fork, the relay knows the key, retries calls and caches reads.
 */
export async function startNodeRelay(url: string, options: { readonly clock?: Clock } = {}) {
  const ending = new AbortController();
  const origin = originOf(url);
  const patient = createPatientRpc(noticeLag(createRpc(url)), {
    ...options,
    origin,
    signal: ending.signal,
  });
  const { failureIn, attributing, lose, losses } = createAttribution(origin);
  const { rpc, carryTo } = cacheReads(attributing(patient));
  let noted: ChainState | undefined;
  let forkedBlock = Number.POSITIVE_INFINITY;
  const relayed: Rpc = async (method, params) => {
    // A fork requests the hashes of blocks that it simulates after the forked one.
    if (method === 'eth_getBlockByNumber' && Number(params?.[0]) > forkedBlock)
      return null as never;
    if (READS.test(method)) {
      const answer = completed(method, await rpc<never>(method, params));
      if (noted !== undefined) noteRead(noted, method, params ?? [], answer);
      return answer;
    }
    const message = 'it is not relayed';
    throw new JsonRpcError(method, { code: METHOD_NOT_FOUND, message });
  };
  const describe = (error: unknown) => {
    if (error instanceof NodeRejectionError) return REJECTION_MARK;
    return error instanceof NodeLossError ? lossMark(error.loss) : hideUrl(messageOf(error), url);
  };
  const server = await serveRpc(relayed, { describe });
  return {
    /** JSON-RPC over HTTP on the loopback, without a key. */
    url: server.url,
    /** The same, for callers in this process. */
    rpc,
    ...{ failureIn, attributing, lose, losses },
    /** Repeats the reads of earlier blocks at the block to fork. */
    carryTo: (block: number) => {
      forkedBlock = block;
      return carryTo(block);
    },
    /** Records the fork's later reads in a state, if one is given. */
    noteIn: (state: ChainState | undefined) => {
      noted = state;
    },
    stop: () => {
      ending.abort();
      return server.stop();
    },
  };
}

/** Adds the fields that a fork requires to a block. */
function completed<Answer>(method: string, answer: Answer): Answer {
  if (method !== 'eth_getBlockByNumber' || typeof answer !== 'object' || answer === null) {
    return answer;
  }
  const told = Object.entries(answer).filter(([, value]) => value !== null);
  return { ...HEADER, ...Object.fromEntries(told) } as Answer;
}

/** Finds and records failures of a node behind errors of a fork of it. */
function createAttribution(origin: string) {
  const losses = new Set<string>();
  let rejection: NodeRejectionError | undefined;

  /** Returns and records a loss. */
  function lose(loss: Loss): NodeLossError {
    const lost = new NodeLossError(loss, origin);
    losses.add(lost.message);
    return lost;
  }

  /** Returns the failure of the node that caused an error, or else the error. */
  function failureIn(error: unknown): unknown {
    if (error instanceof NodeRejectionError) rejection = error;
    const loss = lossIn(error);
    if (loss !== undefined) return lose(loss);
    return messageOf(error).includes(REJECTION_MARK) ? rejection : error;
  }

  return {
    failureIn,
    lose,
    /** Returns a function that calls the node or its fork, and throws the node's failure if there is one. */
    attributing:
      (ask: Rpc): Rpc =>
      async (method, params) => {
        try {
          return await ask<never>(method, params);
        } catch (error) {
          throw failureIn(error);
        }
      },
    /** The node's losses so far, one sentence for each. */
    losses: (): readonly string[] => [...losses],
  };
}
