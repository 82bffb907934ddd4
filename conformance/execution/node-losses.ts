import { JsonRpcError, NodeUnreachableError } from './json-rpc.ts';

/** Reasons why reads of a node failed after every retry. */
export type Loss = 'limit' | 'history' | 'lag' | 'failure' | 'code';

const LOSS_WORDS: Readonly<Record<Loss, string>> = {
  limit: 'limits the rate of calls, and refused some of them however long they waited',
  history:
    'keeps too little history: it has dropped the state of a block on which plans were to be settled; name one that keeps more blocks',
  lag: 'lags: some of the nodes that answer for it did not have a block that others had, however long they were waited for',
  failure: 'failed to answer some calls, however often it was asked',
  code: 'is of a chain whose contracts Anvil does not run as the chain does: a token that tells a balance there tells none on a fork',
};

/** HTTP and JSON-RPC codes of rate limits, including those of Infura, Alchemy and QuickNode. */
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
/** Outcomes of a call that do not change on a retry: some nodes report them as internal errors. */
const OUTCOME_WORDS = /EVM error|invalid opcode|out of ?gas|revert/i;

/** Returns the reason of a failure that a retry may fix, or undefined for a final result. */
export function lossOf(error: unknown): Loss | undefined {
  if (error instanceof NodeUnreachableError) {
    const { status } = error.refusal;
    if (status === 429) return 'limit';
    // A permanent rejection, such as for a wrong key, has another 4xx status.
    return status === undefined || status < 400 || status >= 500 ? 'failure' : undefined;
  }
  if (!(error instanceof JsonRpcError)) return undefined;
  const text = `${error.message} ${typeof error.data === 'string' ? error.data : ''}`;
  if (HISTORY_WORDS.test(text)) return 'history';
  if (LAG_WORDS.test(text)) return 'lag';
  const isLimited = error.refusal.status === 429 || LIMIT_CODES.has(error.code);
  if (isLimited || LIMIT_WORDS.test(text)) return 'limit';
  const isInternal = error.code === INTERNAL_ERROR && !OUTCOME_WORDS.test(text);
  return isInternal || FAILURE_WORDS.test(text) ? 'failure' : undefined;
}

/** Returns a message for a lost read, which a fork includes in its own error. */
export function lossMark(loss: Loss): string {
  return `swapcheck has lost this read (${loss})`;
}

/** Returns the loss that a fork's error contains, if there is one. */
export function markedLoss(error: unknown): Loss | undefined {
  if (!(error instanceof JsonRpcError)) return undefined;
  return /swapcheck has lost this read \((\w+)\)/.exec(error.message)?.[1] as Loss | undefined;
}

/** A node does not return the state that a plan needs: only that plan cannot be judged. */
export class NodeLossError extends Error {
  override readonly name = 'NodeLossError';
  readonly loss: Loss;

  constructor(loss: Loss, origin: string) {
    super(`the node at ${origin} ${LOSS_WORDS[loss]}`);
    this.loss = loss;
  }
}

/** Returns the result of the work, or undefined if the node did not return the state that it reads. */
export async function undefinedIfNodeFailed<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NodeLossError) return undefined;
    throw error;
  }
}
