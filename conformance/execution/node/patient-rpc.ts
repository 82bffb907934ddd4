import { type Clock, SYSTEM_CLOCK, sleep } from '../../client/clock.ts';
import { JsonRpcError, NodeUnreachableError, type Rpc } from './json-rpc.ts';
import {
  type Loss,
  lossOf,
  MAX_WAIT_MS,
  NodeLossError,
  NodeRejectionError,
  rejectionOf,
} from './node-losses.ts';

export type PatienceOptions = {
  /** Name of the node in errors. */
  readonly origin: string;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Ends every wait. */
  readonly signal?: AbortSignal;
};

/**
 * Pauses before retries. Pruned state is requested again, since another of the provider's nodes may
 * have it.
 */
const WAITS_MS: Readonly<Record<Loss, readonly number[]>> = {
  limit: [500, 1_000, 2_000, 4_000, 8_000],
  failure: [250, 1_000, 4_000],
  // Longer than the block time of most chains.
  lag: [250, 500, 1_000, 2_000, 4_000, 8_000],
  history: [100, 500],
  code: [],
};
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
 * repeated after increasing pauses, and all calls slow down if the node limits their rate. If all
 * retries of a call were rejected, every call is repeated only once until the node replies again.
 * The function throws `NodeLossError` after the last retry. It throws `NodeRejectionError` without
 * a retry if the node rejects calls for hours, for example because its quota is spent. Other
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
        if (rejection !== undefined) throw new NodeRejectionError(rejection, origin);
        const loss = lossOf(error);
        if (loss === undefined) throw error;
        const waitMs = WAITS_MS[loss][failures];
        const isLast = waitMs === undefined || (isHopeless && failures > 0) || signal.aborted;
        if (isLast) {
          isHopeless = loss === 'limit' || loss === 'failure';
          throw new NodeLossError(loss, origin);
        }
        const wantedMs = Math.min(MAX_WAIT_MS, Math.max(waitMs, retryAfterOf(error)));
        if (loss === 'limit') slowDown(wantedMs);
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
