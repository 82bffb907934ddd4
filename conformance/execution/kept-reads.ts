import type { Hex } from 'viem';
import type { Address } from '../model/trade-request.ts';
import { gatherReads } from './gather-reads.ts';
import { quantity, type Rpc } from './json-rpc.ts';
import { mayMakeContracts } from './makes-contracts.ts';
import { type ReadState, readStates, type WantedState } from './state-reader.ts';

/** Where the block stands among the parameters of what is asked of a state. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
};
/** What is the same for every block, or matters to no trade. */
const ONCE: ReadonlySet<string> = new Set(['eth_chainId', 'net_version', 'eth_gasPrice']);
/** Blocks whose reads are kept: those of a study that goes back and forth among them. */
const MOST_BLOCKS = 64;
/** Code that names another account's, which its owner may change at any time. @see EIP-7702 */
const DELEGATION = '0xef0100';
/** The nonce of a contract that has made no other. */
const FIRST_NONCE = '0x1';
/** Slots below are of variables; those of mappings and lists are hashes. */
const FIRST_HASHED = 1_024n;

type Known = { readonly slots: Set<Hex>; code?: Hex; nonce?: Hex };
type Reads = Map<string, Promise<unknown>>;

/**
 * Returns what reads a node's state and keeps it by block. A read that fails is
 * not kept. Code is kept from block to block, since a contract's never changes,
 * and tells whether a nonce need be read. `carryTo` reads anew, in one call or two, what
 * has been read of earlier blocks; it does no harm where the node cannot.
 */
export function keepReads(ask: Rpc) {
  const everywhere: Reads = new Map();
  const blocks = new Map<string, Reads>();
  const accounts = new Map<Address, Known>();
  const together = gatherReads(ask);
  const slotsAlike = createKinds();
  let canCarry = true;

  async function readState(
    method: string,
    params: readonly unknown[],
    reads: Reads,
  ): Promise<unknown> {
    const account = String(params[0]).toLowerCase() as Address;
    const known = accounts.get(account) ?? { slots: new Set() };
    accounts.set(account, known);
    if (method === 'eth_getStorageAt') {
      const [, slot, block] = params as [unknown, Hex, Hex];
      known.slots.add(slot);
      for (const other of together.isAble() ? slotsAlike(known.code, slot) : []) {
        known.slots.add(other);
        const read = () => together.read(account, other, block);
        void once(reads, keyOf(method, account, other), read);
      }
    }
    if (method === 'eth_getCode' && known.code !== undefined && isLasting(known.code)) {
      return known.code;
    }
    if (method === 'eth_getTransactionCount') {
      const code = (await readState('eth_getCode', params, reads)) as Hex;
      if (isLasting(code) && !mayMakeContracts(code)) return FIRST_NONCE;
    }
    const value = await once(reads, keyOf(method, account, params[1]), () => {
      if (method === 'eth_getStorageAt') {
        return together.read(account, params[1] as Hex, params[2] as Hex);
      }
      return method === 'eth_getBalance'
        ? together.read(account, 'balance', params[1] as Hex)
        : ask(method, params);
    });
    if (method === 'eth_getCode') known.code = value as Hex;
    if (method === 'eth_getTransactionCount') known.nonce = value as Hex;
    return value;
  }

  const rpc: Rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    if (ONCE.has(method)) return once(everywhere, method, () => ask(method)) as Result;
    const block = params[BLOCK_AT[method] ?? Number.POSITIVE_INFINITY];
    if (typeof block !== 'string' || !block.startsWith('0x')) return ask<Result>(method, params);
    const reads = readsOf(blocks, block);
    const value =
      method === 'eth_getBlockByNumber'
        ? once(reads, keyOf(method, ...params), () => ask(method, params))
        : readState(method, params, reads);
    return value as Promise<Result>;
  };

  const carryTo = async (number: number): Promise<void> => {
    const block = quantity(number);
    if (!canCarry || !together.isAble() || blocks.has(block) || accounts.size === 0) return;
    const wanted = [...accounts].map(([account, { slots }]) => ({ account, slots: [...slots] }));
    const states = await readStates(ask, wanted, block);
    canCarry = states !== undefined;
    const reads = readsOf(blocks, block);
    for (const [index, state] of (states ?? []).entries()) {
      const { account, slots } = wanted[index] as WantedState;
      keepState(reads, block, { ...accounts.get(account), account, slots, ...state });
    }
  };

  return { rpc, carryTo };
}

/**
 * Returns what takes a slot of an account down, and tells which slots were read
 * of accounts with code as long: of one kind of pool, mostly, and soon asked for.
 */
function createKinds() {
  const kinds = new Map<number, Set<Hex>>();
  return (code: Hex | undefined, slot: Hex): ReadonlySet<Hex> => {
    const isVariable = BigInt(slot) < FIRST_HASHED;
    if (code === undefined || !isLasting(code) || !isVariable) return new Set();
    const slots = (kinds.get(code.length) ?? new Set<Hex>()).add(slot);
    kinds.set(code.length, slots);
    return slots;
  };
}

/** Returns the reads of a block; those of the oldest make room. */
function readsOf(blocks: Map<string, Reads>, block: string): Reads {
  const reads: Reads = blocks.get(block) ?? new Map();
  blocks.set(block, reads);
  const [oldest] = blocks.keys();
  if (blocks.size > MOST_BLOCKS && oldest !== undefined) blocks.delete(oldest);
  return reads;
}

function once(reads: Reads, key: string, read: () => Promise<unknown>): Promise<unknown> {
  const kept = reads.get(key) ?? read();
  reads.set(key, kept);
  kept.catch(() => reads.delete(key));
  return kept;
}

/** Keeps what was read of an account as though it had been asked for piece by piece. */
function keepState(
  reads: Reads,
  block: Hex,
  {
    account,
    slots,
    values,
    balance,
    isContract,
    code,
    nonce,
  }: WantedState & ReadState & Omit<Known, 'slots'>,
): void {
  const keep = (method: string, value: unknown, slot = block) =>
    reads.set(keyOf(method, account, slot), Promise.resolve(value));
  keep('eth_getBalance', quantity(balance));
  for (const [at, slot] of slots.entries()) keep('eth_getStorageAt', values[at], slot);
  const isPlain = code === '0x' && !isContract;
  if (isPlain) keep('eth_getCode', code);
  if (code === undefined || nonce === undefined) return;
  // A contract that has made no other still has not: its nonce tells where the next one goes.
  // That of a plain account shows nowhere: only our own accounts send transactions on a fork.
  if (isPlain || (isLasting(code) && BigInt(nonce) <= 1n)) keep('eth_getTransactionCount', nonce);
}

function isLasting(code: Hex): boolean {
  return code !== '0x' && !code.startsWith(DELEGATION);
}

function keyOf(method: string, ...params: readonly unknown[]): string {
  return `${method} ${params.join(' ')}`;
}
