import { createRequire } from 'node:module';
import fc from 'fast-check';
import { type Abi, decodeFunctionData, encodeErrorResult, encodeFunctionResult } from 'viem';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../scripts/tests/helpers/for-all.testing.ts';
import { encodeReplay, readEarlierFailure, readOutcome } from './replayer-abi.ts';

const { abi } = createRequire(import.meta.url)('#fixtures/bytecode/replayer.json') as { abi: Abi };
const hex = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`);
const bytes = fc.integer({ min: 0, max: 70 }).chain(hex);
const uint256 = fc.bigInt(0n, (1n << 256n) - 1n);
const call = fc.record({ to: hex(20), value: uint256, data: bytes });
const addresses = fc.array(hex(20), { maxLength: 4 });

describe('the words of the replayer', () => {
  test('any calldata -> what its ABI reads back', () => {
    forAll(
      [fc.array(call, { maxLength: 3 }), call, addresses, addresses],
      { seed: 1 },
      (...args) => {
        const read = decodeFunctionData({ abi, data: encodeReplay(...args) });
        expect(read.functionName).toBe('replay');
        expect(JSON.stringify(read.args, replaceBigInt).toLowerCase()).toBe(
          JSON.stringify(args, replaceBigInt),
        );
      },
    );
  });

  test('any result that its ABI encodes -> the same', () => {
    forAll(
      [fc.boolean(), uint256, bytes, fc.array(uint256)],
      { seed: 1 },
      (success, gasUsed, returned, held) => {
        const result = [{ success, gasUsed, returned }, held];
        const data = encodeFunctionResult({ abi, functionName: 'replay', result });
        const read = readOutcome(data);
        expect(read).toMatchObject({ success, gasUsed, returned });
        expect(held.map((_, index) => read.held(index))).toEqual(held);
      },
    );
  });

  test('any earlier failure -> which, and what it said; any other revert -> undefined', () => {
    forAll([fc.nat(1_000), bytes], { seed: 1 }, (index, returned) => {
      const args = [BigInt(index), returned];
      const data = encodeErrorResult({ abi, errorName: 'EarlierCallFailed', args });
      expect(readEarlierFailure(data)).toEqual({ index, returned });
    });
    expect(readEarlierFailure('0x')).toBeUndefined();
    expect(readEarlierFailure('0x08c379a0')).toBeUndefined();
  });
});

function replaceBigInt(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}
