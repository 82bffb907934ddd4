import { type Hex, toFunctionSelector } from 'viem';
import type { GraphProgram } from './graph-program.ts';
import { ROUTER_ABI } from './router-abi.ts';

/** What one of our own routers is held to, in the order of its fields. */
type ProgramOrder = {
  readonly sellAmount: bigint;
  readonly buyAmount: bigint;
  readonly recipient: Hex;
  readonly deadline: bigint;
  readonly unwrap: boolean;
};

type Word = bigint | number | Hex;

/** The exact side of an order. */
type Exact = 'sell' | 'buy';

const selectorOf = (called: string) =>
  toFunctionSelector(ROUTER_ABI.find(({ name }) => name === called) ?? called);
const SELECTORS: Readonly<Record<Exact, readonly [plain: Hex, quoted: Hex]>> = {
  sell: [selectorOf('sellExactly'), selectorOf('sellWithQuotes')],
  buy: [selectorOf('buyExactly'), selectorOf('buyWithQuotes')],
};

/**
 * Returns the calldata by which `GraphRouter` runs a program. All of it is whole
 * words: written as they are, in a tenth of the time of an encoder of any types.
 *
 * @see https://docs.soliditylang.org/en/latest/abi-spec.html
 */
export function encodeProgramCall(
  exact: Exact,
  { sellAmount, buyAmount, recipient, deadline, unwrap }: ProgramOrder,
  { tokens, swaps, quotes }: GraphProgram,
): Hex {
  const order: Word[] = [sellAmount, buyAmount, recipient, deadline, Number(unwrap)];
  const pairs: Word[] = [swaps.length];
  for (const { hop, share } of swaps) pairs.push(hop, share);
  const arrays: Word[][] = [[tokens.length, ...tokens], pairs];
  if (quotes.length > 0) {
    const each = quotes.map((words) => [WORD * words.length, ...words]);
    arrays.push([quotes.length, ...withOffsets(each, 0)]);
  }
  const words = [...order, ...withOffsets(arrays, order.length)];
  let calldata: string = SELECTORS[exact][quotes.length > 0 ? 1 : 0];
  for (const word of words) calldata += hexOf(word);
  return calldata as Hex;
}

const WORD = 32;
const ZEROS = '0'.repeat(2 * WORD);

/** Returns where each part begins, counted from `before` words ahead, and then the parts. */
function withOffsets(parts: readonly (readonly Word[])[], before: number): Word[] {
  let next = WORD * (before + parts.length);
  const words: Word[] = parts.map(({ length }) => {
    const offset = next;
    next += WORD * length;
    return offset;
  });
  for (const part of parts) for (const word of part) words.push(word);
  return words;
}

function hexOf(word: Word): string {
  const digits = typeof word === 'string' ? word.slice(2) : word.toString(16);
  // Several times as fast as `padStart`.
  return ZEROS.slice(digits.length) + digits;
}
