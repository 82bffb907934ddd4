import type { Clock } from '../../client/clock.ts';
import { cacheReads } from './cached-reads.ts';
import { createRpc, originOf, type Rpc } from './json-rpc.ts';
import { noticeLag } from './lagging-node.ts';
import {
  type Loss,
  lossIn,
  NodeLossError,
  NodeRejectionError,
  REJECTION_MARK,
} from './node-losses.ts';
import { createPatientRpc } from './patient-rpc.ts';
import { messageOf } from './rpc-server.ts';

/** A node of a chain. */
export type ChainNode = ReturnType<typeof openNode>;

/**
 * Returns access to the node at `url`, which may contain a key. Calls are retried, and reads are
 * cached by block.
 */
export function openNode(url: string, options: { readonly clock?: Clock } = {}) {
  const ending = new AbortController();
  const origin = originOf(url);
  const { signal } = ending;
  const patient = createPatientRpc(noticeLag(createRpc(url)), { ...options, origin, signal });
  const attribution = createAttribution(origin);
  return {
    /** URL of the node, with the key. */
    url,
    rpc: cacheReads(attribution.attributing(patient)),
    ...attribution,
    /** Ends every wait. */
    stop: () => ending.abort(),
  };
}

/** Finds the node failures behind the errors of a fork, which may hide them. */
function createAttribution(origin: string) {
  const losses = new Set<string>();
  let rejection: NodeRejectionError | undefined;

  function lose(loss: Loss): NodeLossError {
    const lost = new NodeLossError(loss, origin);
    losses.add(lost.message);
    return lost;
  }

  function failureIn(error: unknown): unknown {
    if (error instanceof NodeRejectionError) rejection = error;
    const loss = lossIn(error);
    if (loss !== undefined) return lose(loss);
    return messageOf(error).includes(REJECTION_MARK) ? rejection : error;
  }

  return {
    failureIn,
    lose,
    /**
     * Returns a function that calls the node or its fork, and throws the node's failure if there
     * was one.
     */
    attributing:
      (ask: Rpc): Rpc =>
      async (method, params) => {
        try {
          return await ask<never>(method, params);
        } catch (error) {
          throw failureIn(error);
        }
      },
    /** Losses of the node so far, one sentence for each. */
    losses: (): readonly string[] => [...losses],
  };
}
