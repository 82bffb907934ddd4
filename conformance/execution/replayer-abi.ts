import type { UserCall } from '../model/settlement.ts';

/*
 * The replayer's own calldata, by hand: a general encoder takes as long over it
 * as Anvil over the whole trade.
 */

type Hex = `0x${string}`;

/** Selector of `replay((address,uint256,bytes)[],(address,uint256,bytes),address[],address[])`. */
const REPLAY = '0xf6dbcd04';
/** Selector of `EarlierCallFailed(uint256,bytes)`. */
const EARLIER_CALL_FAILED = '0xe4689ae1';
const WORD = 64;

/** Returns the calldata of the replayer. @see contracts/Replayer.sol */
export function encodeReplay(
  earlier: readonly UserCall[],
  trade: UserCall,
  tokens: readonly Hex[],
  holders: readonly Hex[],
): Hex {
  const addresses = [tokens, holders].map(addressesTail);
  return `${REPLAY}${withOffsets([callsTail(earlier), callTail(trade), ...addresses])}` as Hex;
}

/** Reads what the replayer returned. */
export function readOutcome(data: Hex) {
  const hex = data.slice(2);
  const outcome = offsetAt(hex, 0);
  const held = offsetAt(hex, WORD) + WORD;
  return {
    success: wordAt(hex, outcome) === 1n,
    gasUsed: wordAt(hex, outcome + WORD),
    returned: bytesAt(hex, outcome + offsetAt(hex, outcome + 2 * WORD)),
    /** The n-th measured balance: those before the trade, by token and then holder, and then those after it. */
    held: (n: number): bigint => wordAt(hex, held + n * WORD),
  };
}

/** Reads which earlier call failed, or returns undefined where something else did. */
export function readEarlierFailure(
  data: string,
): { readonly index: number; readonly returned: Hex } | undefined {
  if (!data.startsWith(EARLIER_CALL_FAILED)) return undefined;
  const hex = data.slice(EARLIER_CALL_FAILED.length);
  return { index: Number(wordAt(hex, 0)), returned: bytesAt(hex, offsetAt(hex, WORD)) };
}

function callsTail(calls: readonly UserCall[]): string {
  return wordOf(calls.length) + withOffsets(calls.map(callTail));
}

function callTail({ to, value, data }: UserCall): string {
  const bytes = data.slice(2);
  const padded = bytes.padEnd(Math.ceil(bytes.length / WORD) * WORD, '0');
  return addressWord(to) + wordOf(value) + wordOf(96) + wordOf(bytes.length / 2) + padded;
}

function addressesTail(addresses: readonly Hex[]): string {
  return wordOf(addresses.length) + addresses.map(addressWord).join('');
}

/** Puts the offset of each tail in front of them all. */
function withOffsets(tails: readonly string[]): string {
  let offset = tails.length * 32;
  const offsets = tails.map((tail) => {
    const word = wordOf(offset);
    offset += tail.length / 2;
    return word;
  });
  return offsets.join('') + tails.join('');
}

function wordOf(value: bigint | number): string {
  return value.toString(16).padStart(WORD, '0');
}

function addressWord(address: Hex): string {
  return address.slice(2).padStart(WORD, '0');
}

function wordAt(hex: string, at: number): bigint {
  return BigInt(`0x${hex.slice(at, at + WORD)}`);
}

/** An offset counts bytes, of which each is two digits. */
function offsetAt(hex: string, at: number): number {
  return Number(wordAt(hex, at)) * 2;
}

function bytesAt(hex: string, at: number): Hex {
  const start = at + WORD;
  return `0x${hex.slice(start, start + offsetAt(hex, at))}`;
}
