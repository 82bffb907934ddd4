import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Address } from '../model/trade-request.ts';
import { bytecodeOf } from './bytecode.ts';
import { NodeUnreachableError, type Rpc, undefinedIfRejected } from './json-rpc.ts';

/** The requested slots of an account; an account without slots need not be a contract. */
export type WantedState = { readonly account: Address; readonly slots: readonly Hex[] };

/** The state of an account; `isContract` is unknown if its slots were read. */
export type ReadState = {
  readonly balance: bigint;
  readonly isContract: boolean;
  readonly values: readonly Hex[];
};

const CODE = bytecodeOf('state-reader');
const ABI = parseAbi([
  'struct Wanted { address account; uint256[] slots; }',
  'function read(Wanted[] wanted) view returns (uint256[])',
]);
/** An unused account, at which the reader is called. */
export const READER: Address = '0x00000000000000000000000000000000c0ffee0f';
/** A word costs about 2,600 gas, and nodes allow at least ten million per call. */
const MAX_WORDS = 2_000;
const WORD = 64;
const PAYLOAD_TOO_LARGE = 413;

/**
 * Reads the state of many accounts at one block in as few calls as possible, by overriding the code of
 * the accounts. Returns undefined if the node does not support overrides.
 */
export async function readStates(
  rpc: Rpc,
  wanted: readonly WantedState[],
  block: Hex,
): Promise<readonly ReadState[] | undefined> {
  const states: ReadState[] = [];
  for (const part of inParts(wanted)) {
    const read = await readPart(rpc, part, block);
    if (read === undefined) return undefined;
    states.push(...read);
  }
  return states;
}

function inParts(wanted: readonly WantedState[]): readonly WantedState[][] {
  const parts: WantedState[][] = [];
  let words = MAX_WORDS;
  for (const each of wanted) {
    words += 2 + each.slots.length;
    if (words > MAX_WORDS) {
      parts.push([]);
      words = 2 + each.slots.length;
    }
    parts.at(-1)?.push(each);
  }
  return parts;
}

async function readPart(
  rpc: Rpc,
  wanted: readonly WantedState[],
  block: Hex,
): Promise<readonly ReadState[] | undefined> {
  const args = [
    wanted.map(({ account, slots }) => ({ account, slots: slots.map(BigInt) })),
  ] as const;
  const data = encodeFunctionData({ abi: ABI, args });
  const contracts = wanted.filter(({ slots }) => slots.length > 0).map(({ account }) => account);
  const overrides = Object.fromEntries(
    [READER, ...contracts].map((each) => [each, { code: CODE }]),
  );
  const call = { to: READER, data };
  const returned = await undefinedIfRejected(rpc<Hex>('eth_call', [call, block, overrides])).catch(
    ignorePayloadTooLarge,
  );
  const count = wanted.reduce((sum, { slots }) => sum + 2 + slots.length, 0);
  // A node without overrides, or with less gas per call, returns an error: slots are read one by one.
  // Otherwise the result is the offset of the list, its length, and the list.
  if (returned?.length !== 2 + (2 + count) * WORD) return undefined;
  let at = 2 + 2 * WORD;
  const next = (): Hex => {
    at += WORD;
    return `0x${returned.slice(at - WORD, at)}`;
  };
  return wanted.map(({ slots }) => ({
    balance: BigInt(next()),
    isContract: BigInt(next()) > 0n,
    values: slots.map(next),
  }));
}

/** A node, or a proxy in front of it, may reject such a long call. */
function ignorePayloadTooLarge(error: unknown): undefined {
  if (error instanceof NodeUnreachableError && error.refusal.status === PAYLOAD_TOO_LARGE) return;
  throw error;
}
