import { JsonRpcError, NodeUnreachableError } from './json-rpc.ts';

/** Reasons why reads from a node failed after every retry. */
export type Loss = 'limit' | 'history' | 'lag' | 'failure' | 'code';

const LOSS_WORDS: Readonly<Record<Loss, string>> = {
  limit: 'limits the rate of calls, and rejected some calls even after every retry',
  history:
    'keeps too little history: it has dropped the state of a block on which plans were to be settled; use one that keeps more blocks',
  lag: 'lags: after every retry, some of the nodes at its URL still lacked a block that others had',
  failure: 'failed to respond to some calls, even after every retry',
  code: 'serves a chain whose contracts Anvil does not run as the chain does: a token that reports a balance there reports none on a fork',
};

/** Statuses with which a node rejects every call. */
const REJECTED: Readonly<Record<number, string>> = {
  401: 'it does not accept the key in its URL',
  402: 'its quota is spent',
  403: 'it does not accept the key in its URL, or its quota is spent',
};
/** Statuses that concern only one call, because it is invalid, slow, too long or too early. */
const OF_ONE_CALL: ReadonlySet<number> = new Set([400, 408, 413, 422, 429]);
/** Infura, Alchemy, QuickNode and others use these words if a quota is used up for hours. */
const QUOTA_WORDS =
  /\b(daily|monthly|free tier)\b.*\b(limit|exceeded|exhausted|reached|capacity|credits?)\b|\bout of credits\b|\bquota\b.*\b(spent|exceeded|exhausted|reached)\b/i;
/**
 * Maximum wait that a node may request, in milliseconds. If it requests more, its quota counts as
 * spent.
 */
export const MAX_WAIT_MS = 30_000;

/**
 * If a node rejects all calls for longer than a run can wait, returns the reason; otherwise
 * undefined.
 */
export function rejectionOf(error: unknown): string | undefined {
  if (!(error instanceof NodeUnreachableError) && !(error instanceof JsonRpcError))
    return undefined;
  const { status = 0, retryAfterMs = 0 } = error.rejection;
  const isPerSecond = /per (second|minute)|\/s(ec(ond)?)?\b/i.test(error.message);
  const isOutcome = OUTCOME_WORDS.test(error.message);
  const hasNoQuota = QUOTA_WORDS.test(error.message) && !isPerSecond && !isOutcome;
  if (hasNoQuota || (status === 429 && retryAfterMs > MAX_WAIT_MS)) {
    const wait =
      retryAfterMs > 0 ? `, and it accepts calls in ${formatDuration(retryAfterMs)}` : '';
    return `its quota is spent${wait}`;
  }
  const isForAll = status >= 400 && status < 500 && !OF_ONE_CALL.has(status);
  return isForAll
    ? `${REJECTED[status] ?? 'it serves no JSON-RPC'} (HTTP status ${status})`
    : undefined;
}

function formatDuration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}

/** Codes of rate limits in HTTP and JSON-RPC, including those of Infura, Alchemy and QuickNode. */
const LIMIT_CODES: ReadonlySet<number | undefined> = new Set([429, -32005, -32007, -32029]);
const LIMIT_WORDS =
  /rate.?limit|too many requests|throttl|(request|call|credit|compute|capacity|quota|throughput)\w*( unit\w*)?( \w+)? (limit|exceeded|exhausted)|exceeded .*(limit|capacity|quota|units|requests)/i;

/**
 * Messages of nodes that have pruned the state. Geth: 'missing trie node', 'historical state ... is
 * not available'; Erigon: 'pruned history', 'old data not available due to pruning'; Nethermind:
 * 'MissingTrieNodeException ... is missing from the DB', 'No state available for block'; Reth:
 * 'state at block #1 is pruned'; Besu: 'World state unavailable'; providers: words such as
 * 'archive'.
 */
const HISTORY_WORDS =
  /missing ?trie ?node|missing from the db|prun(ed|ing)|no state available|state\b.*\b(not available|unavailable|not found)|old data not available|archive/i;

const LAG_WORDS =
  /unknown block|unfinalized data|after last accepted|(header|block)\b.{0,40}\b(not found|could not be found|does not exist|out of range)/i;
const FAILURE_WORDS = /internal error|timed? ?out|try again|temporar|overload|unavailable/i;
const INTERNAL_ERROR = -32603;
/** Outcomes that no retry changes, although some nodes report them as internal errors. */
const OUTCOME_WORDS = /EVM error|invalid opcode|out of ?gas|revert/i;

/** Returns the reason for a failure that a retry may fix; undefined for a final result. */
export function lossOf(error: unknown): Loss | undefined {
  if (error instanceof NodeUnreachableError) {
    const { status } = error.rejection;
    if (status === 429) return 'limit';
    return status === undefined || status < 400 || status >= 500 ? 'failure' : undefined;
  }
  if (!(error instanceof JsonRpcError)) return undefined;
  const text = `${error.message} ${typeof error.data === 'string' ? error.data : ''}`;
  if (HISTORY_WORDS.test(text)) return 'history';
  if (LAG_WORDS.test(text)) return 'lag';
  const isLimited = error.rejection.status === 429 || LIMIT_CODES.has(error.code);
  if (isLimited || LIMIT_WORDS.test(text)) return 'limit';
  const isInternal = error.code === INTERNAL_ERROR && !OUTCOME_WORDS.test(text);
  return isInternal || FAILURE_WORDS.test(text) ? 'failure' : undefined;
}

/** Message for a read that the node rejected. A fork includes this message in its own error. */
export const REJECTION_MARK = 'swapcheck was rejected by the node';

/** Returns a message for a lost read. A fork includes this message in its own error. */
export function lossMark(loss: Loss): string {
  return `swapcheck has lost this read (${loss})`;
}

/** Returns the loss that caused an error; undefined if none did. */
export function lossIn(error: unknown): Loss | undefined {
  if (error instanceof NodeLossError) return error.loss;
  const text = error instanceof Error ? error.message : '';
  return /swapcheck has lost this read \((\w+)\)/.exec(text)?.[1] as Loss | undefined;
}

/** A node rejects all calls for hours, so nothing more can be settled. */
export class NodeRejectionError extends Error {
  override readonly name = 'NodeRejectionError';

  constructor(reason: string, origin: string) {
    super(`the node at ${origin} rejects calls: ${reason}; wait, or use another node`);
  }
}

/** A node does not return the state that a plan needs, so that plan cannot be judged. */
export class NodeLossError extends Error {
  override readonly name = 'NodeLossError';
  readonly loss: Loss;

  constructor(loss: Loss, origin: string) {
    super(`the node at ${origin} ${LOSS_WORDS[loss]}`);
    this.loss = loss;
  }
}

/**
 * Returns the result of the work, or undefined if the node did not return the state that the work
 * reads.
 */
export async function undefinedIfNodeFailed<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NodeLossError) return undefined;
    throw error;
  }
}
