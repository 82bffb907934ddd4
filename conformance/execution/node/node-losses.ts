import { JsonRpcError, NodeUnreachableError } from './json-rpc.ts';

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
  if (isTooWide(error)) return undefined;
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

/** Nodes limit the blocks or results of a request for logs, each with another code and text. */
function isTooWide(error: unknown): boolean {
  if (!(error instanceof JsonRpcError) || error.method !== 'eth_getLogs') return false;
  const isLimited = /rate.?limit|too many requests|per second|throttl/i.test(error.reason);
  return error.rejection.status !== 429 && !isLimited;
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
const FAILURE_WORDS =
  /internal error|timed? ?out|deadline|try again|temporar|overload|unavailable/i;
const INTERNAL_ERROR = -32603;
/** Outcomes that no retry changes, although some nodes report them as internal errors. */
const OUTCOME_WORDS = /EVM error|invalid opcode|out of ?gas|revert|floor data gas/i;

/**
 * How to retry a failed call: `slower` with all calls slowed down, `later`, or `twice`, because
 * only another of the provider's nodes may have the state.
 */
export type Retry = 'slower' | 'later' | 'twice';

/** Returns how to retry a failed call; undefined if no retry changes its result. */
export function retryOf(error: unknown): Retry | undefined {
  if (error instanceof NodeUnreachableError) {
    const { status } = error.rejection;
    if (status === 429) return 'slower';
    return status === undefined || status < 400 || status >= 500 ? 'later' : undefined;
  }
  if (!(error instanceof JsonRpcError) || isTooWide(error)) return undefined;
  const text = `${error.message} ${typeof error.data === 'string' ? error.data.slice(0, 1_000) : ''}`;
  if (HISTORY_WORDS.test(text)) return 'twice';
  if (LAG_WORDS.test(text)) return 'later';
  const isLimited = error.rejection.status === 429 || LIMIT_CODES.has(error.code);
  if (isLimited || LIMIT_WORDS.test(text)) return 'slower';
  const isInternal = error.code === INTERNAL_ERROR && !OUTCOME_WORDS.test(text);
  return isInternal || FAILURE_WORDS.test(text) ? 'later' : undefined;
}

/** A node rejects all calls for hours, so nothing more can be settled. */
export class NodeRejectionError extends Error {
  override readonly name = 'NodeRejectionError';

  constructor(reason: string, origin: string) {
    super(`the node at ${origin} rejects calls: ${reason}; wait, or use another node`);
  }
}

/** A plan cannot be judged, for a reason that is not the service's. */
export class UnsettledError extends Error {
  override readonly name: string = 'UnsettledError';
}

/**
 * A node fails, so a plan cannot be judged. The reason quotes the node.
 *
 * @example new NodeLossError('failed: eth_call: missing trie node', 'https://node.example')
 */
export class NodeLossError extends UnsettledError {
  override readonly name = 'NodeLossError';
  /** What the node did, as a phrase. */
  readonly reason: string;

  constructor(reason: string, origin?: string) {
    super(`the node${origin === undefined ? '' : ` at ${origin}`} ${reason}`);
    this.reason = reason;
  }
}

/** Returns the failure of a node that still fails after every retry. */
export function lossAfterRetries(
  { reason }: NodeUnreachableError | JsonRpcError,
  retry: Retry,
  origin: string,
): NodeLossError {
  const advice = retry === 'twice' ? '; use a node that keeps the state of more blocks' : '';
  return new NodeLossError(`failed, even after every retry: ${reason}${advice}`, origin);
}

/** Returns an error that a node returned as its failure, and any other error unchanged. */
export function lossIfRejected(error: unknown, origin?: string): unknown {
  return error instanceof JsonRpcError
    ? new NodeLossError(`failed: ${error.message}`, origin)
    : error;
}

/** Returns the result of the work, or undefined if it cannot be judged. */
export async function undefinedIfNodeFailed<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnsettledError) return undefined;
    throw error;
  }
}
