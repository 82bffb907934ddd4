import { JsonRpcError, NodeUnreachableError } from './json-rpc.ts';

/** Why a node did not give what was read of it, however often it was asked. */
export type Loss = 'limit' | 'history' | 'lag' | 'failure' | 'code';

const LOSS_WORDS: Readonly<Record<Loss, string>> = {
  limit: 'limits the rate of calls, and refused some of them however long they waited',
  history:
    'keeps too little history: it has dropped the state of a block on which plans were to be settled; name one that keeps more blocks',
  lag: 'lags: some of the nodes that answer for it did not have a block that others had, however long they were waited for',
  failure: 'failed to answer some calls, however often it was asked',
  code: 'is of a chain whose contracts Anvil does not run as the chain does: a token that tells a balance there tells none on a fork',
};

/** HTTP and JSON-RPC codes of a limit, among them those of Infura, Alchemy and QuickNode. */
const LIMIT_CODES: ReadonlySet<number | undefined> = new Set([429, -32005, -32007, -32029]);
const LIMIT_WORDS =
  /rate.?limit|too many requests|throttl|(request|call|credit|compute|capacity|quota|throughput)\w*( unit\w*)?( \w+)? (limit|exceeded|exhausted)|exceeded .*(limit|capacity|quota|units|requests)/i;

/**
 * What nodes call state that they have pruned. Geth: 'missing trie node', 'historical state ...
 * is not available'; Erigon: 'pruned history', 'old data not available due to pruning'; Nethermind:
 * 'MissingTrieNodeException ... is missing from the DB', 'No state available for block'; Reth: 'state
 * at block #1 is pruned'; Besu: 'World state unavailable'; providers speak of archives.
 */
const HISTORY_WORDS =
  /missing ?trie ?node|missing from the db|prun(ed|ing)|no state available|state\b.*\b(not available|unavailable|not found)|old data not available|archive/i;

/** A node that lags behind another of the same provider. */
const LAG_WORDS =
  /unknown block|unfinalized data|after last accepted|(header|block)\b.{0,40}\b(not found|could not be found|does not exist|out of range)/i;
/** A node that errs for a while. */
const FAILURE_WORDS = /internal error|timed? ?out|try again|temporar|overload|unavailable/i;
const INTERNAL_ERROR = -32603;
/** What a call did, which it does again: some nodes call that an internal error. */
const OUTCOME_WORDS = /EVM error|invalid opcode|out of ?gas|revert/i;

/** Returns why a call failed that may succeed when it is made again, or undefined for an answer that stands. */
export function lossOf(error: unknown): Loss | undefined {
  if (error instanceof NodeUnreachableError) {
    const { status } = error.refusal;
    if (status === 429) return 'limit';
    // What a node refuses for good, such as a wrong key, it says with another status of 4xx.
    return status === undefined || status < 400 || status >= 500 ? 'failure' : undefined;
  }
  if (!(error instanceof JsonRpcError)) return undefined;
  const said = `${error.message} ${typeof error.data === 'string' ? error.data : ''}`;
  if (HISTORY_WORDS.test(said)) return 'history';
  if (LAG_WORDS.test(said)) return 'lag';
  const isLimited = error.refusal.status === 429 || LIMIT_CODES.has(error.code);
  if (isLimited || LIMIT_WORDS.test(said)) return 'limit';
  const isInternal = error.code === INTERNAL_ERROR && !OUTCOME_WORDS.test(said);
  return isInternal || FAILURE_WORDS.test(said) ? 'failure' : undefined;
}

/** Says to a fork that a read is lost, in words that it hands on within its own error. */
export function lossMark(loss: Loss): string {
  return `swapcheck has lost this read (${loss})`;
}

/** Returns the loss that a fork hands on in an error, if it does. */
export function markedLoss(error: unknown): Loss | undefined {
  if (!(error instanceof JsonRpcError)) return undefined;
  return /swapcheck has lost this read \((\w+)\)/.exec(error.message)?.[1] as Loss | undefined;
}

/** Thrown where a node does not give what a plan needs: that plan cannot be judged, others may. */
export class NodeLossError extends Error {
  override readonly name = 'NodeLossError';
  readonly loss: Loss;

  constructor(loss: Loss, origin: string) {
    super(`the node at ${origin} ${LOSS_WORDS[loss]}`);
    this.loss = loss;
  }
}

/** Returns what the work returns, or undefined where the node did not give what it reads. */
export async function undefinedIfNodeFailed<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NodeLossError) return undefined;
    throw error;
  }
}
