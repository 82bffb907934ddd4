import type { Hex } from 'viem';
import type { Address } from '../model/trade-request.ts';
import { quantity, type Rpc } from './json-rpc.ts';
import { createStateReader, type Part } from './state-reader.ts';

/** Index of the block among the parameters of reads of a state. */
const BLOCK_INDEX: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
};
/** Reads whose result is the same for every block, or does not affect trades. */
const SAME_FOR_ALL_BLOCKS: ReadonlySet<string> = new Set([
  'eth_chainId',
  'net_version',
  'eth_gasPrice',
]);
/** Maximum number of blocks whose reads are cached, enough for a study that goes back and forth among them. */
const MAX_BLOCKS = 64;
/** Start of code that delegates to another account, which its owner may change at any time. @see EIP-7702 */
const DELEGATION = '0xef0100';
/** Nonce of a contract that has made no other. @see EIP-161 */
const FIRST_NONCE = '0x1';
/** Slots below are of variables; those of mappings and lists are hashes. */
const FIRST_HASHED_SLOT = 1_024n;

type Reads = Map<string, Promise<unknown>>;

/**
 * Returns a function that calls a node and caches reads by block. Failed reads are not cached. Code is
 * cached across blocks, since a contract's code never changes, and so is the nonce of a contract that has
 * made no other. `carryTo` repeats the reads of earlier blocks at another block, in as few calls as
 * possible; it has no effect if the node does not support that.
 */
export function cacheReads(ask: Rpc): {
  readonly rpc: Rpc;
  readonly carryTo: (block: number) => Promise<void>;
} {
  const cache = new ReadCache(ask);
  return { rpc: cache.rpc, carryTo: (block) => cache.carryTo(block) };
}

class ReadCache {
  readonly #ask: Rpc;
  readonly #reader: ReturnType<typeof createStateReader>;
  readonly #lasting: Reads = new Map();
  readonly #blocks = new Map<Hex, Reads>();
  readonly #codes = new Map<unknown, Hex>();
  readonly #nonces = new Map<unknown, Hex>();
  readonly #parts = new Map<string, Part>();
  /** Variables that were read, by the length of the code: mostly pools of one kind have the same code. */
  readonly #variables = new Map<number, Set<Hex>>();

  constructor(ask: Rpc) {
    this.#ask = ask;
    this.#reader = createStateReader(ask);
  }

  readonly rpc: Rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    if (SAME_FOR_ALL_BLOCKS.has(method)) {
      return once(this.#lasting, method, () => this.#ask(method)) as Result;
    }
    const block = params[BLOCK_INDEX[method] ?? Number.POSITIVE_INFINITY];
    if (typeof block !== 'string' || !block.startsWith('0x')) {
      return this.#ask<Result>(method, params);
    }
    return this.#readState(method, params, block as Hex) as Result;
  };

  async carryTo(number: number): Promise<void> {
    const block = quantity(number);
    const parts = [...this.#parts.values()];
    if (this.#blocks.has(block) || parts.length === 0) return;
    const values = await this.#reader.readTogether(parts, block);
    if (values === undefined) return;
    const reads = this.#readsOf(block);
    for (const [at, part] of parts.entries()) reads.set(keyOf(part), Promise.resolve(values[at]));
  }

  #readState(method: string, params: readonly unknown[], block: Hex): Promise<unknown> {
    const account = String(params[0]).toLowerCase() as Address;
    if (method === 'eth_getBalance') return this.#readPart({ account, slot: 'balance' }, block);
    if (method === 'eth_getStorageAt') return this.#readSlot(account, params[1] as Hex, block);
    const ask = () => this.#ask<Hex>(method, params);
    const read =
      method === 'eth_getCode'
        ? () => this.#readCode(account, ask)
        : () => (method === 'eth_getTransactionCount' ? this.#readNonce(account, ask) : ask());
    return once(this.#readsOf(block), [method, ...params].join(' ').toLowerCase(), read);
  }

  /** Returns the reads of a block; those of the oldest block are dropped beyond the maximum. */
  #readsOf(block: Hex): Reads {
    const reads: Reads = this.#blocks.get(block) ?? new Map();
    this.#blocks.set(block, reads);
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > MAX_BLOCKS && oldest !== undefined) this.#blocks.delete(oldest);
    return reads;
  }

  #readPart(part: Part, block: Hex): Promise<unknown> {
    const key = keyOf(part);
    this.#parts.set(key, part);
    return once(this.#readsOf(block), key, () => this.#reader.read(part, block));
  }

  /** Reads a slot and, in the same call, the variables that were read from other contracts with the same code. */
  #readSlot(account: Address, slot: Hex, block: Hex): Promise<unknown> {
    const code = this.#codes.get(account);
    if (code !== undefined && BigInt(slot) < FIRST_HASHED_SLOT) {
      const slots = (this.#variables.get(code.length) ?? new Set()).add(slot);
      this.#variables.set(code.length, slots);
      const others = this.#reader.isAble() ? slots : [];
      for (const other of others) void this.#readPart({ account, slot: other }, block);
    }
    return this.#readPart({ account, slot }, block);
  }

  async #readCode(account: Address, ask: () => Promise<Hex>): Promise<Hex> {
    const code = this.#codes.get(account) ?? (await ask());
    if (code !== '0x' && !code.startsWith(DELEGATION)) this.#codes.set(account, code);
    return code;
  }

  async #readNonce(account: Address, ask: () => Promise<Hex>): Promise<Hex> {
    const known = this.#codes.has(account) ? this.#nonces.get(account) : undefined;
    const nonce = known === FIRST_NONCE ? known : await ask();
    this.#nonces.set(account, nonce);
    return nonce;
  }
}

function keyOf({ account, slot }: Part): string {
  return `${account} ${slot}`;
}

function once(reads: Reads, key: string, read: () => Promise<unknown>): Promise<unknown> {
  const cached = reads.get(key) ?? read();
  reads.set(key, cached);
  cached.catch(() => reads.delete(key));
  return cached;
}
