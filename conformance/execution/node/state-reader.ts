import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeFunctionData, type Hex, parseAbi, prepareEncodeFunctionData } from 'viem';
import type { Address } from '../../model/trade-request.ts';
import { bytecodeOf } from './bytecode.ts';
import { NodeUnreachableError, type Rpc, undefinedIfRejected } from './json-rpc.ts';
import { NodeLossError } from './node-losses.ts';

type Part = { readonly account: Address; readonly slot: Hex | 'balance' };

type Waiting = Part & {
  readonly block: Hex;
  readonly resolve: (value: Hex | Promise<Hex>) => void;
};

const CODE = bytecodeOf('state-reader');
const ABI = parseAbi([
  'struct Part { address account; bool isBalance; uint256 slot; }',
  'function read(Part[] parts) view returns (uint256[])',
]);
const READ = prepareEncodeFunctionData({ abi: ABI });
/** Unused address at which calls place the reader's code. */
const READER: Address = '0x00000000000000000000000000000000c0ffee0f';
/** Reading a part costs about 5,000 gas, and nodes allow at least ten million gas per call. */
const MAX_PARTS = 1_000;
const WORD = 64;
const PAYLOAD_TOO_LARGE = 413;

/**
 * Returns a function that reads a slot or a balance at a block. If the node supports overrides, one
 * call reads all parts that were requested together or during the previous call. The call overrides
 * the code of the accounts.
 */
export function createStateReader(ask: Rpc): (part: Part, block: Hex) => Promise<Hex> {
  const queue: Waiting[] = [];
  let isReading = false;
  let isAble = true;

  async function readTogether(parts: readonly Part[], block: Hex): Promise<readonly Hex[]> {
    if (parts.length === 1 || !isAble) return [];
    const values = await readInOneCall(ask, parts, block);
    isAble = values !== undefined;
    return values ?? [];
  }

  async function readNext(): Promise<void> {
    if (queue[0] === undefined || isReading) return;
    isReading = true;
    await nextTurn();
    const { block } = queue[0];
    const parts = queue.filter((each) => each.block === block).slice(0, MAX_PARTS);
    queue.splice(0, queue.length, ...queue.filter((each) => !parts.includes(each)));
    try {
      const values = await readTogether(parts, block);
      for (const [at, part] of parts.entries()) part.resolve(values[at] ?? readOne(ask, part));
    } catch (error) {
      // If the call fails, each part is read separately, so that one failed read does not affect
      // the others.
      const isLost = error instanceof NodeLossError;
      for (const part of parts) part.resolve(isLost ? readOne(ask, part) : Promise.reject(error));
    } finally {
      isReading = false;
      void readNext();
    }
  }

  return (part, block) =>
    new Promise<Hex>((resolve) => {
      queue.push({ ...part, block, resolve });
      void readNext();
    });
}

function readOne(ask: Rpc, { account, slot, block }: Waiting): Promise<Hex> {
  return slot === 'balance'
    ? ask<Hex>('eth_getBalance', [account, block])
    : ask<Hex>('eth_getStorageAt', [account, slot, block]);
}

async function readInOneCall(
  ask: Rpc,
  parts: readonly Part[],
  block: Hex,
): Promise<readonly Hex[] | undefined> {
  const wanted = parts.map(({ account, slot }) => ({
    account,
    isBalance: slot === 'balance',
    slot: slot === 'balance' ? 0n : BigInt(slot),
  }));
  const data = encodeFunctionData({ ...READ, args: [wanted] });
  const contracts = parts.filter(({ slot }) => slot !== 'balance').map(({ account }) => account);
  const overrides = Object.fromEntries(
    [READER, ...contracts].map((each) => [each, { code: CODE }]),
  );
  const call = ask<Hex>('eth_call', [{ to: READER, data }, block, overrides]);
  const returned = await undefinedIfRejected(call).catch(ignorePayloadTooLarge);
  // A node that does not support overrides, or allows less gas per call, returns an error or
  // nothing. Otherwise the result is the offset of the list, its length, and the list.
  if (returned?.length !== 2 + (2 + parts.length) * WORD) return undefined;
  return parts.map((part, index): Hex => {
    const at = 2 + (2 + index) * WORD;
    const word: Hex = `0x${returned.slice(at, at + WORD)}`;
    return part.slot === 'balance' ? `0x${BigInt(word).toString(16)}` : word;
  });
}

/** A node or its proxy may reject such a long call. */
function ignorePayloadTooLarge(error: unknown): undefined {
  if (error instanceof NodeUnreachableError && error.rejection.status === PAYLOAD_TOO_LARGE) return;
  throw error;
}
