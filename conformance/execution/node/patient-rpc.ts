import { type Clock, SYSTEM_CLOCK, sleep } from '../../client/clock.ts';
import { JsonRpcError, NodeUnreachableError, type Rpc } from './json-rpc.ts';
import {
  lossAfterRetries,
  MAX_WAIT_MS,
  NodeRejectionError,
  type Retry,
  rejectionOf,
  retryOf,
} from './node-losses.ts';

export type PatienceOptions = {
  /** Name of the node in errors. */
  readonly origin: string;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Ends every wait. */
  readonly signal?: AbortSignal;
};

/** Pause before the first retry of a call. Each further pause is twice as long. */
const FIRST_WAIT_MS = 250;
/** Six pauses last 16 seconds, longer than the block time of most chains. */
const MAX_RETRIES: Readonly<Record<Retry, number>> = { slower: 6, later: 6, twice: 2 };
/**
 * The interval between calls to a node with a rate limit grows with each rejection, and shrinks
 * with each reply.
 */
const FIRST_GAP_MS = 10;
const MAX_GAP_MS = 1_000;
const GROWTH = 1.5;
const SHRINKAGE = 0.98;

/**
 * Returns a function that calls a node with retries. A call that fails for a temporary reason is
 * repeated after pauses that double, and all calls slow down if the node limits their rate. If all
 * retries of a call failed, every call is repeated only once until the node replies again. The
 * function throws `NodeLossError` after the last retry. It throws `NodeRejectionError` without a
 * retry if the node rejects calls for hours, for example because its quota is spent. Other
 * permanent errors are thrown unchanged.
 *
 * Anvil's `--retries` do not replace this: Anvil does not retry a read that fails with HTTP status
 * 502, an internal error, null or pruned state.
 */
export function createPatientRpc(ask: Rpc, options: PatienceOptions): Rpc {
  const { origin, clock = SYSTEM_CLOCK, signal = new AbortController().signal } = options;
  let nextAt = 0;
  let gapMs = 0;
  let isHopeless = false;

  async function takeTurn(): Promise<void> {
    const at = Math.max(clock.now(), nextAt);
    if (gapMs > 0) nextAt = at + gapMs;
    await sleep(clock, at - clock.now(), signal);
  }

  function slowDown(waitMs: number): void {
    nextAt = Math.max(nextAt, clock.now() + waitMs);
    gapMs = Math.min(MAX_GAP_MS, Math.max(FIRST_GAP_MS, gapMs * GROWTH));
  }

  /** Some nodes use the statuses for a missing key for a method that they do not serve. */
  async function isOfOneMethod(error: unknown): Promise<boolean> {
    if (!(error instanceof NodeUnreachableError)) return false;
    if (error.rejection.status !== 401 && error.rejection.status !== 403) return false;
    return ask('eth_chainId').then(
      () => true,
      () => false,
    );
  }

  return async (method, params) => {
    for (let failures = 0; ; failures += 1) {
      await takeTurn();
      try {
        const result = await ask<never>(method, params);
        gapMs = gapMs < FIRST_GAP_MS / 2 ? 0 : gapMs * SHRINKAGE;
        isHopeless = false;
        return result;
      } catch (error) {
        const rejection = rejectionOf(error);
        if (rejection !== undefined) {
          if (!(await isOfOneMethod(error))) throw new NodeRejectionError(rejection, origin);
          throw new JsonRpcError(method, { message: (error as NodeUnreachableError).reason });
        }
        const retry = retryOf(error);
        if (retry === undefined) throw error;
        const isLast =
          failures >= MAX_RETRIES[retry] || (isHopeless && failures > 0) || signal.aborted;
        if (isLast) {
          isHopeless = retry !== 'twice';
          throw lossAfterRetries(error as JsonRpcError | NodeUnreachableError, retry, origin);
        }
        const waitMs = FIRST_WAIT_MS * 2 ** failures;
        const wantedMs = Math.min(MAX_WAIT_MS, Math.max(waitMs, retryAfterOf(error)));
        if (retry === 'slower') slowDown(wantedMs);
        else await sleep(clock, wantedMs, signal);
      }
    }
  };
}

function retryAfterOf(error: unknown): number {
  return error instanceof JsonRpcError || error instanceof NodeUnreachableError
    ? (error.rejection.retryAfterMs ?? 0)
    : 0;
}
