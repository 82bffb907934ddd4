import fc from 'fast-check';
import { encodeAbiParameters, type Hex, parseAbiParameters } from 'viem';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../scripts/for-all.testing.ts';
import { parseAddress } from '../domain/address.ts';
import { addressesTail, addressWord, bytesArrayTail, bytesTail, wordOf } from './abi.ts';

const anyHex = fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const anyAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => parseAddress(`0x${Buffer.from(bytes).toString('hex')}`));
const head = wordOf(32);

describe('abi', () => {
  test('numbers and addresses -> as viem encodes them', () => {
    forAll(
      [fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), anyAddress],
      { seed: 1 },
      (number, address) => {
        const expected = encodeAbiParameters(parseAbiParameters('uint256, address'), [
          number,
          address,
        ]);
        expect(`0x${wordOf(number)}${addressWord(address)}`).toBe(expected);
      },
    );
  });

  test('bytes -> as viem encodes them', () => {
    forAll([anyHex], { seed: 1 }, (hex) => {
      const expected = encodeAbiParameters(parseAbiParameters('bytes'), [`0x${hex}`]);
      expect(`0x${head}${bytesTail(hex)}`).toBe(expected);
    });
  });

  test('bytes[] -> as viem encodes them', () => {
    forAll([fc.array(anyHex, { maxLength: 5 })], { seed: 1 }, (elements) => {
      const values = elements.map((hex): Hex => `0x${hex}`);
      const expected = encodeAbiParameters(parseAbiParameters('bytes[]'), [values]);
      expect(`0x${head}${bytesArrayTail(elements)}`).toBe(expected);
    });
  });

  test('address[] -> as viem encodes them', () => {
    forAll([fc.array(anyAddress, { maxLength: 5 })], { seed: 1 }, (addresses) => {
      const expected = encodeAbiParameters(parseAbiParameters('address[]'), [addresses]);
      expect(`0x${head}${addressesTail(addresses)}`).toBe(expected);
    });
  });
});
