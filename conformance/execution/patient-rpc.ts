import { type Clock, SYSTEM_CLOCK, sleep } from '../client/clock.ts';
import { JsonRpcError, NodeUnreachableError, type Rpc } from './json-rpc.ts';
import { type Loss, lossOf, NodeLossError } from './node-losses.ts';

export type PatienceOptions = {
  /** How errors name the node. */
  readonly origin: string;
  /** Default the machine's. */
  readonly clock?: Clock;
  /** Ends every wait. */
  readonly signal?: AbortSignal;
};

/** Waits before a call is made again. State that one node of a provider has pruned, another may have. */
const WAITS_MS: Readonly<Record<Loss, readonly number[]>> = {
  limit: [500, 1_000, 2_000, 4_000, 8_000],
  failure: [250, 1_000, 4_000],
  // Longer than most chains take to make a block.
  lag: [250, 500, 1_000, 2_000, 4_000, 8_000],
  history: [100, 500],
  code: [],
};
const MAX_WAIT_MS = 30_000;
/** The gap between calls, once a node has named a limit: it grows with each refusal, and shrinks with each answer. */
const FIRST_GAP_MS = 10;
const MAX_GAP_MS = 1_000;
const GROWTH = 1.5;
const SHRINKAGE = 0.98;

/**
 * Returns a function that calls a node with patience: a call that fails for a
 * reason that may pass is made again, ever later; all calls slow down together
 * where the node limits their rate. A node that has refused to the end is asked
 * but once more for each call, until it answers again.
 *
 * The function throws `NodeLossError` where the patience ends, and what is no
 * passing failure as it is.
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
    ? (error.refusal.retryAfterMs ?? 0)
    : 0;
}
