import { JsonRpcError, type Rpc } from './json-rpc.ts';

/** Reads of a state that every node has an answer to, where it has the block. */
const STATE_READS = /^eth_(call|get(Balance|Code|StorageAt|TransactionCount))$/;

/** How many blocks a node is taken to lag behind at most: that far above all heads seen, a block may be there. */
const MOST_LAG = 8;

/**
 * Returns what asks a node, and throws for the null that some nodes answer where they
 * lack a block: several nodes may answer at one URL, of which some lag behind the others.
 * Null stands for a block that is too far ahead for any of them to have.
 */
export function noticeLag(ask: Rpc): Rpc {
  let head = -1;
  return async <Result>(method: string, params: readonly unknown[] = []) => {
    const answer = await ask<Result>(method, params);
    if (method === 'eth_getBlockByNumber') {
      const { number } = (answer ?? {}) as { readonly number?: string };
      if (number !== undefined) head = Math.max(head, Number(number));
      if (answer !== null) return answer;
      const wanted = Number(params[0]);
      if (wanted > head) head = Math.max(head, Number(await ask<string>('eth_blockNumber')));
      // Every chain has a latest block.
      if (wanted > head + MOST_LAG) return answer;
    }
    if (answer !== null || !(STATE_READS.test(method) || method === 'eth_getBlockByNumber'))
      return answer;
    throw new JsonRpcError(method, { message: 'header not found: a node that lags answered null' });
  };
}
