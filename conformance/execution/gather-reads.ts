import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { Address } from '../model/trade-request.ts';
import { quantity, type Rpc } from './json-rpc.ts';
import { NodeLossError } from './node-losses.ts';
import { readStates } from './state-reader.ts';

type Waiting = {
  readonly account: Address;
  readonly slot: Hex | 'balance';
  readonly block: Hex;
  readonly resolve: (value: Hex | Promise<Hex>) => void;
};

/**
 * Returns a reader of slots and balances. Concurrent reads, and those requested while a call is in
 * flight, are combined into one call if the node supports it.
 */
export function gatherReads(ask: Rpc) {
  const queue: Waiting[] = [];
  let isReading = false;
  /** Undefined until the first combined call. */
  let isAble: boolean | undefined;

  /** Reads slots of one block in one call; undefined if the node does not support it. */
  async function readTogether(all: readonly Waiting[], block: Hex) {
    const wanted = [...new Set(all.map(({ account }) => account))].map((account) => ({
      account,
      slots: all.flatMap((each) =>
        each.account === account && each.slot !== 'balance' ? [each.slot] : [],
      ),
    }));
    try {
      const states = await readStates(ask, wanted, block);
      isAble = states !== undefined;
      return (
        states &&
        new Map(
          wanted.flatMap(({ account, slots }, index) => [
            [`${account} balance`, quantity(states[index]?.balance ?? 0n)] as const,
            ...slots.map((slot, at) => [`${account} ${slot}`, states[index]?.values[at]] as const),
          ]),
        )
      );
    } catch (error) {
      // Each slot is read separately, so that a failed read affects no other.
      if (error instanceof NodeLossError) return undefined;
      throw error;
    }
  }

  async function readNext(): Promise<void> {
    if (queue[0] === undefined || isReading) return;
    isReading = true;
    await nextTurn();
    const { block } = queue[0];
    const part = queue.filter((each) => each.block === block);
    queue.splice(0, queue.length, ...queue.filter((each) => each.block !== block));
    try {
      const together =
        part.length > 1 && isAble !== false ? await readTogether(part, block) : undefined;
      const reads = part.map(async (each) => {
        const value = together?.get(`${each.account} ${each.slot}`);
        const read = value === undefined ? readOne(ask, each) : Promise.resolve(value);
        each.resolve(read);
        await read.catch(() => undefined);
      });
      await Promise.all(reads);
    } catch (error) {
      for (const { resolve } of part) resolve(Promise.reject(error));
    } finally {
      isReading = false;
      void readNext();
    }
  }

  return {
    /** Reads one slot of an account at a block, or its native balance. */
    read: (account: Address, slot: Hex | 'balance', block: Hex) =>
      new Promise<Hex>((resolve) => {
        queue.push({ account, slot, block, resolve });
        void readNext();
      }),
    /** Returns whether the node reads many in one call; undefined if that is not known yet. */
    isAble: () => isAble,
  };
}

function readOne(ask: Rpc, { account, slot, block }: Waiting): Promise<Hex> {
  return slot === 'balance'
    ? ask<Hex>('eth_getBalance', [account, block])
    : ask<Hex>('eth_getStorageAt', [account, slot, block]);
}
