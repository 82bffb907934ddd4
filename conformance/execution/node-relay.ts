import type { Clock } from '../client/clock.ts';
import type { ChainState } from '../model/chain-state.ts';
import { cacheReads } from './cached-reads.ts';
import { createRpc, hideUrl, JsonRpcError, originOf, type Rpc } from './json-rpc.ts';
import { noticeLag } from './lagging-node.ts';
import { lossMark, NodeLossError } from './node-losses.ts';
import { createPatientRpc } from './patient-rpc.ts';
import { serveRpc } from './rpc-server.ts';
import { noteRead } from './saved-state.ts';

/** What a fork asks of its node; it asks for accounts whole as well, which few nodes know. */
const READS =
  /^(eth_(get(?!AccountInfo)|chainId|blockNumber|gasPrice|feeHistory|call$)|net_version)/;
const METHOD_NOT_FOUND = -32601;
const ZEROS = (bytes: number) => `0x${'0'.repeat(2 * bytes)}`;
/** What a fork needs of a block that chains do without which were not made of Ethereum, or long ago; it is nowhere judged. */
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
 * Starts a node of ours on the loopback that asks the one at `url`, which may hold a
 * key: it has the key, the patience and the memory that a fork lacks.
 */
export async function startNodeRelay(url: string, options: { readonly clock?: Clock } = {}) {
  const ending = new AbortController();
  const origin = originOf(url);
  const patient = createPatientRpc(noticeLag(createRpc(url)), {
    ...options,
    origin,
    signal: ending.signal,
  });
  const { rpc, carryTo } = cacheReads(patient);
  let noted: ChainState | undefined;
  const relayed: Rpc = async (method, params) => {
    if (READS.test(method)) {
      const answer = completed(method, await rpc<never>(method, params));
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
    /** JSON-RPC over HTTP on the loopback, without a key. */
    url: server.url,
    /** The same, called from within. */
    rpc,
    /** Reads again at a block what was read of those before it. */
    carryTo,
    /** Adds what the fork reads from now on to a state, where one is given. */
    noteIn: (state: ChainState | undefined) => {
      noted = state;
    },
    stop: () => {
      ending.abort();
      return server.stop();
    },
  };
}

/** Adds to a block what a fork needs of it. */
function completed<Answer>(method: string, answer: Answer): Answer {
  if (method !== 'eth_getBlockByNumber' || typeof answer !== 'object' || answer === null) {
    return answer;
  }
  const told = Object.entries(answer).filter(([, value]) => value !== null);
  return { ...HEADER, ...Object.fromEntries(told) } as Answer;
}
