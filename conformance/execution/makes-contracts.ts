import type { Hex } from 'viem';

/** CREATE, CALLCODE, DELEGATECALL and CREATE2: what makes a contract, or runs code that may. */
const MAKERS: ReadonlySet<number> = new Set([0xf0, 0xf2, 0xf4, 0xf5]);
const [PUSH1, PUSH32] = [0x60, 0x7f];
/** What the metadata behind a contract's code begins with: a CBOR map, and the first of its keys. */
const METADATA = /^a[1-4]6[45](697066735822|627a7a7230|736f6c63|6578706572696d656e74616c)/;

/**
 * Returns whether code may make a contract. Where it may not, the nonce of its
 * account stays 1, as a contract's begins.
 *
 * @see EIP-161
 */
export function mayMakeContracts(code: Hex): boolean {
  const hex = withoutMetadata(code.slice(2));
  for (let at = 0; at < hex.length; at += 2) {
    const opcode = Number.parseInt(hex.slice(at, at + 2), 16);
    if (MAKERS.has(opcode)) return true;
    // What is pushed is no code: a jump into it fails.
    if (opcode >= PUSH1 && opcode <= PUSH32) at += 2 * (opcode - PUSH1 + 1);
  }
  return false;
}

/** A compiler ends code with a hash of its sources, and with the hash's length in two bytes. */
function withoutMetadata(hex: string): string {
  const length = 2 * Number.parseInt(hex.slice(-4), 16);
  const start = hex.length - 4 - length;
  return start > 0 && METADATA.test(hex.slice(start)) ? hex.slice(0, start) : hex;
}
