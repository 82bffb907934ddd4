import type { Hex } from 'viem';
import type { Address } from '../../model/trade-request.ts';
import type { Rpc } from './json-rpc.ts';
import { once, type Results } from './once.ts';
import { createStateReader } from './state-reader.ts';

const BLOCK_INDEX: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
};
/** Methods whose results are the same for every block, or do not affect trades. */
const SAME_FOR_ALL_BLOCKS: ReadonlySet<string> = new Set([
  'eth_chainId',
  'net_version',
  'eth_gasPrice',
]);
/** Maximum number of cached blocks: enough for a study that alternates between blocks. */
const MAX_BLOCKS = 64;
/**
 * Prefix of code that delegates to another account. The owner may change that account at any time.
 *
 * @see EIP-7702
 */
const DELEGATION = '0xef0100';
/**
 * Nonce of a contract that has created no other contract.
 *
 * @see EIP-161
 */
const FIRST_NONCE = '0x1';

/**
 * Returns a function that calls a node and caches reads by block. Failed reads are not cached. A
 * contract's code never changes, so it is cached across blocks. So is the nonce of a contract that
 * has created no other.
 */
export function cacheReads(send: Rpc): Rpc {
  return new ReadCache(send).rpc;
}

class ReadCache {
  readonly #send: Rpc;
  readonly #readPart: ReturnType<typeof createStateReader>;
  readonly #lasting: Results = new Map();
  readonly #blocks = new Map<Hex, Results>();
  readonly #codes = new Map<unknown, Hex>();
  readonly #nonces = new Map<unknown, Hex>();

  constructor(send: Rpc) {
    this.#send = send;
    this.#readPart = createStateReader(send);
  }

  readonly rpc: Rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    if (SAME_FOR_ALL_BLOCKS.has(method)) {
      return once(this.#lasting, method, () => this.#send(method)) as Result;
    }
    const block = params[BLOCK_INDEX[method] ?? Number.POSITIVE_INFINITY];
    if (typeof block !== 'string' || !block.startsWith('0x')) {
      return this.#send<Result>(method, params);
    }
    return this.#readState(method, params, block as Hex) as Result;
  };

  #readState(method: string, params: readonly unknown[], block: Hex): Promise<unknown> {
    const key = [method, ...params].join(' ').toLowerCase();
    return once(this.#readsOf(block), key, () => {
      const account = String(params[0]).toLowerCase() as Address;
      const read = () => this.#send<Hex>(method, params);
      if (method === 'eth_getCode') return this.#readCode(account, read);
      if (method === 'eth_getTransactionCount') return this.#readNonce(account, read);
      if (method === 'eth_getBlockByNumber') return read();
      const slot = method === 'eth_getBalance' ? 'balance' : (params[1] as Hex);
      return this.#readPart({ account, slot }, block);
    });
  }

  /**
   * Returns the reads of a block. Beyond the maximum number of blocks, drops the reads of the
   * oldest.
   */
  #readsOf(block: Hex): Results {
    const reads: Results = this.#blocks.get(block) ?? new Map();
    this.#blocks.set(block, reads);
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > MAX_BLOCKS && oldest !== undefined) this.#blocks.delete(oldest);
    return reads;
  }

  async #readCode(account: Address, read: () => Promise<Hex>): Promise<Hex> {
    const code = this.#codes.get(account) ?? (await read());
    if (code !== '0x' && !code.startsWith(DELEGATION)) this.#codes.set(account, code);
    return code;
  }

  async #readNonce(account: Address, read: () => Promise<Hex>): Promise<Hex> {
    const known = this.#codes.has(account) ? this.#nonces.get(account) : undefined;
    const nonce = known === FIRST_NONCE ? known : await read();
    this.#nonces.set(account, nonce);
    return nonce;
  }
}
