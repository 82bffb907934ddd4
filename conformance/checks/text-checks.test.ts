import { describe, expect, test } from 'vitest';
import { fitsUint256, isCanonical, isDecimal, parseAmount, UINT256_MAX } from './amounts.ts';
import { createChecksumTest, withChecksum } from './checksum.ts';
import {
  addressKey,
  isHexAddress,
  isHexBytes,
  isPoolIdentifier,
  isZeroAddress,
  sameAddress,
} from './hex.ts';

describe('amounts', () => {
  test.each([
    ['0', true, true, 0n],
    ['10', true, true, 10n],
    ['007', true, false, 7n],
    ['00', true, false, 0n],
    ['', false, false, undefined],
    ['-1', false, false, undefined],
    ['+1', false, false, undefined],
    ['1.0', false, false, undefined],
    ['1e3', false, false, undefined],
    ['0x1', false, false, undefined],
    [' 1', false, false, undefined],
    ['1\n', false, false, undefined],
    ['١', false, false, undefined],
  ])('%j -> decimal %s, canonical %s, amount %s', (text, decimal, canonical, amount) => {
    expect(isDecimal(text)).toBe(decimal);
    expect(isCanonical(text)).toBe(canonical);
    expect(parseAmount(text)).toBe(amount);
  });

  test('not a text, or beyond 1,000 digits -> no amount', () => {
    expect(parseAmount(5)).toBeUndefined();
    expect(parseAmount('9'.repeat(1_000))).toBeDefined();
    expect(parseAmount('9'.repeat(1_001))).toBeUndefined();
  });

  test('2^256 -> exceeds the maximum amount of a token', () => {
    expect(fitsUint256(UINT256_MAX)).toBe(true);
    expect(fitsUint256(UINT256_MAX + 1n)).toBe(false);
    expect(fitsUint256(0n)).toBe(true);
    expect(fitsUint256(-1n)).toBe(false);
  });
});

describe('hex', () => {
  const address = '0x4200000000000000000000000000000000000aBc';

  test('an address -> 0x and 40 hex digits in any letter case', () => {
    expect(isHexAddress(address)).toBe(true);
    expect(isHexAddress(address.slice(0, -1))).toBe(false);
    expect(isHexAddress(`${address}0`)).toBe(false);
    expect(isHexAddress(address.replace('B', 'g'))).toBe(false);
    expect(isHexAddress(address.slice(2))).toBe(false);
    expect(isHexAddress(address.replace('0x', '0X'))).toBe(false);
    expect(isHexAddress(address.toUpperCase().replace('0X', '0x'))).toBe(true);
    expect(isHexAddress(`x${address}`)).toBe(false);
    expect(isHexAddress(`${address} `)).toBe(false);
  });

  test('a pool identifier -> 20 or 32 bytes', () => {
    expect(isPoolIdentifier(address)).toBe(true);
    expect(isPoolIdentifier(`0x${'ab'.repeat(32)}`)).toBe(true);
    expect(isPoolIdentifier(`0x${'ab'.repeat(31)}`)).toBe(false);
    expect(isPoolIdentifier(`0x${'ab'.repeat(33)}`)).toBe(false);
    expect(isPoolIdentifier(`x0x${'ab'.repeat(32)}`)).toBe(false);
  });

  test.each([
    ['0x3593564c', true],
    ['0xAB', true],
    ['0X3593564c', false],
    ['0x', false],
    ['0xabc', false],
    ['0xabcz', false],
    ['x0xab', false],
    ['3593564c', false],
    ['0xzz', false],
    ['00', false],
  ])('bytes %s -> %s', (text, expected) => {
    expect(isHexBytes(text)).toBe(expected);
  });

  test('the zero address -> 40 zeros and nothing else', () => {
    const zero = `0x${'0'.repeat(40)}`;
    expect(isZeroAddress(zero)).toBe(true);
    expect(isZeroAddress(`${zero}0`)).toBe(false);
    expect(isZeroAddress(`x${zero}`)).toBe(false);
  });

  test('letter case -> ignored in hex, significant elsewhere', () => {
    expect(sameAddress(address, address.toUpperCase().replace('0X', '0x'))).toBe(true);
    expect(sameAddress(address, `${address.slice(0, -1)}d`)).toBe(false);
    expect(
      sameAddress(
        'So11111111111111111111111111111111111111112',
        'so11111111111111111111111111111111111111112',
      ),
    ).toBe(false);
    expect(addressKey('0xAB')).toBe('0xab');
    expect(addressKey('0x')).toBe('0x');
    expect(addressKey('AB')).toBe('AB');
    expect(addressKey('0xABz')).toBe('0xABz');
    expect(addressKey('z0xAB')).toBe('z0xAB');
  });
});

describe('checksums', () => {
  // The examples of EIP-55 and EIP-1191.
  test.each([
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', undefined],
    ['0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB', undefined],
    ['0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD', 30],
    ['0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd', 31],
  ])('%s on chain %s -> its own checksum', (address, chainId) => {
    expect(withChecksum(address.toLowerCase(), chainId)).toBe(address);
    expect(createChecksumTest()(address, chainId)).toBe(true);
  });

  test.each([
    ['one letter case', `0x${'ab'.repeat(20)}`],
    ['no letters', `0x${'12'.repeat(20)}`],
    ['another length', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe'],
    ['no hex', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg'],
  ])('an address with %s, twice -> states no checksum', (_, address) => {
    const hasChecksum = createChecksumTest();
    expect([hasChecksum(address, 30), hasChecksum(address, 30)]).toEqual([undefined, undefined]);
  });

  test('one address on several chains, twice -> the checksum of each chain', () => {
    const hasChecksum = createChecksumTest();
    const onRootstock = '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD';
    const chains = [30, 1, undefined, 30, 1, undefined];
    expect(chains.map((chain) => hasChecksum(onRootstock, chain))).toEqual([
      ...[true, false, false],
      ...[true, false, false],
    ]);
    expect(hasChecksum('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 30)).toBe(true);
  });
});
