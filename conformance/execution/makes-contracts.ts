import type { Hex } from 'viem';

/** CREATE, CALLCODE, DELEGATECALL and CREATE2: opcodes that create a contract, or run code that may. */
const MAKERS: ReadonlySet<number> = new Set([0xf0, 0xf2, 0xf4, 0xf5]);
const [PUSH1, PUSH32] = [0x60, 0x7f];
/** Beginnings of the metadata after a contract's code: a CBOR map and its first key. */
const METADATA = /^a[1-4]6[45](697066735822|627a7a7230|736f6c63|6578706572696d656e74616c)/;

/**
 * Returns whether code may create a contract. If not, the nonce of its account remains 1, the initial
 * nonce of a contract.
 *
 * @see EIP-161
 */
export function mayMakeContracts(code: Hex): boolean {
  const hex = withoutMetadata(code.slice(2));
  for (let at = 0; at < hex.length; at += 2) {
    const opcode = Number.parseInt(hex.slice(at, at + 2), 16);
    if (MAKERS.has(opcode)) return true;
    // Pushed data is not code: a jump into it fails.
    if (opcode >= PUSH1 && opcode <= PUSH32) at += 2 * (opcode - PUSH1 + 1);
  }
  return false;
}

/** Compilers append metadata with a hash of the sources, and its length in two bytes. */
function withoutMetadata(hex: string): string {
  const length = 2 * Number.parseInt(hex.slice(-4), 16);
  const start = hex.length - 4 - length;
  return start > 0 && METADATA.test(hex.slice(start)) ? hex.slice(0, start) : hex;
}
