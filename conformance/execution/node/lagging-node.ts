import { JsonRpcError, type Rpc } from './json-rpc.ts';

/** Reads that succeed on every node that has the block. */
const STATE_READS = /^eth_(call|get(Balance|Code|StorageAt|TransactionCount))$/;

/** A block that is more than this far above the highest known block does not exist. */
const MAX_LAG = 8;
const ACCOUNT_WITHOUT_CODE = '0x00000000000000000000000000000000c0ffee06';

/**
 * Returns a function that calls a node. Several nodes may share a URL, and some may lag. The
 * function therefore throws if the node returns null because it lacks a block. For a block that no
 * node can have, the function returns null. For accounts without code, it returns '0x' instead of
 * null.
 */
export function noticeLag(ask: Rpc): Rpc {
  let head = -1;
  let hasNullCode: Promise<boolean> | undefined;

  /** Some nodes return null for missing code although they have the block. */
  async function isMissingCode(block: unknown): Promise<boolean> {
    hasNullCode ??= ask('eth_getCode', [ACCOUNT_WITHOUT_CODE, 'latest']).then(
      (code) => code === null,
    );
    return (await hasNullCode) && (await ask('eth_getBlockByNumber', [block, false])) !== null;
  }

  async function mayExist(number: number): Promise<boolean> {
    if (number > head) head = Math.max(head, Number(await ask<string>('eth_blockNumber')));
    return number <= head + MAX_LAG;
  }

  return async <Result>(method: string, params: readonly unknown[] = []) => {
    const answer = await ask<Result>(method, params);
    const isBlock = method === 'eth_getBlockByNumber';
    if (answer !== null) {
      const { number } = answer as { readonly number?: string };
      if (isBlock && number !== undefined) head = Math.max(head, Number(number));
      return answer;
    }
    if (!isBlock && !STATE_READS.test(method)) return answer;
    // Only a numbered block may be missing: every chain has a latest block.
    if (isBlock && !Number.isNaN(Number(params[0])) && !(await mayExist(Number(params[0])))) {
      return answer;
    }
    if (method === 'eth_getCode' && (await isMissingCode(params[1]))) return '0x' as Result;
    throw new JsonRpcError(method, { message: 'header not found: a lagging node returned null' });
  };
}
