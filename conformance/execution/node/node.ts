import type { Clock } from '../../client/clock.ts';
import { messageOf } from '../../contract/message-of.ts';
import { cacheReads } from './cached-reads.ts';
import { createRpc, originOf, type Rpc } from './json-rpc.ts';
import { noticeLag } from './lagging-node.ts';
import { NodeLossError, NodeRejectionError } from './node-losses.ts';
import { createPatientRpc } from './patient-rpc.ts';

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

/**
 * A mark in the message of a failed read. A fork includes the message in its own error, which hides
 * the node's.
 */
const MARK = /swapcheck could not read this \((\d+)\)/;

/** Failures that differ only in numbers and hashes are reported once. */
function withoutNumbers({ message }: Error): string {
  return message.replace(/[0-9a-f]*[0-9][0-9a-f]*/gi, '#');
}

/** Finds the node failures behind the errors of a fork. */
function createAttribution(origin: string) {
  const failures: (NodeLossError | NodeRejectionError)[] = [];

  function noted(failure: NodeLossError | NodeRejectionError): number {
    const at = failures.findIndex((each) => withoutNumbers(each) === withoutNumbers(failure));
    return at < 0 ? failures.push(failure) - 1 : at;
  }

  function failureIn(error: unknown): unknown {
    if (error instanceof NodeLossError || error instanceof NodeRejectionError) {
      return failures[noted(error)];
    }
    const [, index] = MARK.exec(messageOf(error)) ?? [];
    return index === undefined ? error : failures[Number(index)];
  }

  return {
    failureIn,
    /** Returns the text that represents an error of the node in a fork. */
    markFor: (error: unknown): string =>
      error instanceof NodeLossError || error instanceof NodeRejectionError
        ? `swapcheck could not read this (${noted(error)})`
        : messageOf(error),
    /** Returns a failure of the node for the given reason, and notes it. */
    lose: (reason: string): NodeLossError => {
      const lost = new NodeLossError(reason, origin);
      noted(lost);
      return lost;
    },
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
    losses: (): readonly string[] =>
      failures.flatMap((each) => (each instanceof NodeLossError ? each.message : [])),
  };
}
