import type { Hex } from 'viem';
import type { Address } from '../model/trade-request.ts';
import { gatherReads } from './gather-reads.ts';
import { quantity, type Rpc } from './json-rpc.ts';
import { mayMakeContracts } from './makes-contracts.ts';
import { type ReadState, readStates } from './state-reader.ts';

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
/** Nonce of a contract that has made no other. */
const FIRST_NONCE = '0x1';
/** Slots below are of variables; those of mappings and lists are hashes. */
const FIRST_HASHED_SLOT = 1_024n;

/** Facts about an account that hold at any block. */
type Account = { readonly slots: Set<Hex>; code?: Hex; nonce?: Hex };
type Reads = Map<string, Promise<unknown>>;

/**
 * Returns a function that calls a node and caches reads by block. Failed reads are not cached. Code is
 * cached across blocks, since a contract's code never changes, and shows whether a nonce must be read.
 * `carryTo` repeats the reads of earlier blocks at another block, in one or two calls; it has no effect
 * if the node does not support that.
 */
export function cacheReads(ask: Rpc): {
  readonly rpc: Rpc;
  readonly carryTo: (block: number) => Promise<void>;
} {
  const cache = new ReadCache(ask);
  return { rpc: cache.rpc, carryTo: (block) => cache.carryTo(block) };
}

type KnownAccount = readonly [address: Address, account: Account];

class ReadCache {
  readonly #ask: Rpc;
  readonly #unchanging: Reads = new Map();
  readonly #blocks = new Map<string, Reads>();
  readonly #accounts = new Map<Address, Account>();
  readonly #gathered: ReturnType<typeof gatherReads>;
  readonly #siblingSlots = createSlotsByCode();
  #canCarry = true;

  constructor(ask: Rpc) {
    this.#ask = ask;
    this.#gathered = gatherReads(ask);
  }

  readonly rpc: Rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    if (SAME_FOR_ALL_BLOCKS.has(method)) {
      return once(this.#unchanging, method, () => this.#ask(method)) as Result;
    }
    const block = params[BLOCK_INDEX[method] ?? Number.POSITIVE_INFINITY];
    if (typeof block !== 'string' || !block.startsWith('0x')) {
      return this.#ask<Result>(method, params);
    }
    return this.#readState(method, params, block as Hex) as Promise<Result>;
  };

  async carryTo(number: number): Promise<void> {
    const block = quantity(number);
    if (!this.#canCarry || this.#gathered.isAble() === false) return;
    if (this.#blocks.has(block) || this.#accounts.size === 0) return;
    const known: KnownAccount[] = [...this.#accounts];
    const wanted = known.map(([account, { slots }]) => ({ account, slots: [...slots] }));
    const states = await readStates(this.#ask, wanted, block);
    this.#canCarry = states !== undefined;
    const reads = readsOf(this.#blocks, block);
    for (const [index, account] of known.entries()) {
      const [state, slots] = [states?.[index], wanted[index]?.slots];
      if (state && slots) cacheState(reads, block, account, slots, state);
    }
  }

  #readState(method: string, params: readonly unknown[], block: Hex): Promise<unknown> {
    const reads = readsOf(this.#blocks, block);
    if (method === 'eth_getBlockByNumber') {
      return once(reads, keyOf(method, ...params), () => this.#ask(method, params));
    }
    const account = this.#accountOf(params[0]);
    if (method === 'eth_getStorageAt') {
      return this.#readSlot(reads, account, params[1] as Hex, block);
    }
    if (method === 'eth_getCode') return this.#readCode(reads, account, block);
    if (method === 'eth_getTransactionCount') return this.#readNonce(reads, account, block);
    const [address] = account;
    const read = () => this.#gathered.read(address, 'balance', block);
    return once(reads, keyOf(method, address, block), read);
  }

  #accountOf(address: unknown): KnownAccount {
    const key = String(address).toLowerCase() as Address;
    const account = this.#accounts.get(key) ?? { slots: new Set() };
    this.#accounts.set(key, account);
    return [key, account];
  }

  /** Reads a slot and, in the same call, the slots that were read from other contracts with the same code. */
  #readSlot(reads: Reads, [address, account]: KnownAccount, slot: Hex, block: Hex) {
    const read = (each: Hex) => {
      account.slots.add(each);
      const key = keyOf('eth_getStorageAt', address, each);
      return once(reads, key, () => this.#gathered.read(address, each, block));
    };
    const siblings = this.#siblingSlots(account.code, slot);
    if (this.#gathered.isAble() === true) for (const sibling of siblings) void read(sibling);
    return read(slot);
  }

  async #readCode(reads: Reads, [address, account]: KnownAccount, block: Hex) {
    if (account.code !== undefined && isLasting(account.code)) return account.code;
    const read = () => this.#ask<Hex>('eth_getCode', [address, block]);
    account.code = (await once(reads, keyOf('eth_getCode', address, block), read)) as Hex;
    return account.code;
  }

  async #readNonce(reads: Reads, known: KnownAccount, block: Hex) {
    const [address, account] = known;
    const code = await this.#readCode(reads, known, block);
    if (isLasting(code) && !mayMakeContracts(code)) return FIRST_NONCE;
    const method = 'eth_getTransactionCount';
    const read = () => this.#ask<Hex>(method, [address, block]);
    account.nonce = (await once(reads, keyOf(method, address, block), read)) as Hex;
    return account.nonce;
  }
}

/**
 * Returns a function that records a slot of an account, and returns the slots that were read from
 * accounts with code of the same length: mostly pools of one kind, which will be read, too.
 */
function createSlotsByCode() {
  const slotsByLength = new Map<number, Set<Hex>>();
  return (code: Hex | undefined, slot: Hex): ReadonlySet<Hex> => {
    const isVariable = BigInt(slot) < FIRST_HASHED_SLOT;
    if (code === undefined || !isLasting(code) || !isVariable) return new Set();
    const slots = (slotsByLength.get(code.length) ?? new Set<Hex>()).add(slot);
    slotsByLength.set(code.length, slots);
    return slots;
  };
}

/** Returns the reads of a block; those of the oldest block are dropped beyond the maximum. */
function readsOf(blocks: Map<string, Reads>, block: string): Reads {
  const reads: Reads = blocks.get(block) ?? new Map();
  blocks.set(block, reads);
  const [oldest] = blocks.keys();
  if (blocks.size > MAX_BLOCKS && oldest !== undefined) blocks.delete(oldest);
  return reads;
}

function once(reads: Reads, key: string, read: () => Promise<unknown>): Promise<unknown> {
  const cached = reads.get(key) ?? read();
  reads.set(key, cached);
  cached.catch(() => reads.delete(key));
  return cached;
}

/** Caches the state of an account as if each part had been read by itself. */
function cacheState(
  reads: Reads,
  block: Hex,
  [address, { code, nonce }]: KnownAccount,
  slots: readonly Hex[],
  { balance, isContract, values }: ReadState,
): void {
  const cache = (method: string, value: unknown, key = block) =>
    reads.set(keyOf(method, address, key), Promise.resolve(value));
  cache('eth_getBalance', quantity(balance));
  for (const [at, slot] of slots.entries()) cache('eth_getStorageAt', values[at], slot);
  const isPlain = code === '0x' && !isContract;
  if (isPlain) cache('eth_getCode', code);
  if (code === undefined || nonce === undefined) return;
  // The nonce of a contract determines the address of the next contract that it creates.
  // The nonce of a plain account is never used: only our own accounts send transactions on a fork.
  if (isPlain || (isLasting(code) && BigInt(nonce) <= 1n)) cache('eth_getTransactionCount', nonce);
}

function isLasting(code: Hex): boolean {
  return code !== '0x' && !code.startsWith(DELEGATION);
}

function keyOf(method: string, ...params: readonly unknown[]): string {
  return `${method} ${params.join(' ')}`;
}
