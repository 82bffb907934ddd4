import { encodeErrorResult, type Hex, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { describeRevert, identifyRevert } from './revert.ts';

const ERRORS = parseAbi([
  'error Error(string)',
  'error Panic(uint256)',
  'error ExecutionFailed(uint256 commandIndex, bytes message)',
  'error V2TooLittleReceived()',
  'error TooLittleBought(uint256 bought, uint256 limit)',
]);
const encode = (errorName: string, ...args: readonly unknown[]) =>
  encodeErrorResult({ abi: ERRORS, errorName, args } as Parameters<typeof encodeErrorResult>[0]);
const nested = (message: Hex) => encode('ExecutionFailed', 2n, message);

test.each<[revert: Hex, identity: string, text: string]>([
  ['0x', 'no-reason', 'reverted without a reason'],
  [encode('Panic', 17n), 'Panic(17)', 'reverted with Panic(17)'],
  [encode('Panic', 18n), 'Panic(18)', 'reverted with Panic(18)'],
  [encode('TooLittleBought', 5n, 6n), 'TooLittleBought', 'reverted with TooLittleBought(5, 6)'],
  [encode('Error', 'paid 12 of 0xab'), 'Error(paid # of #)', "reverted with 'paid 12 of 0xab'"],
  ['0x1234abcd00', '0x1234abcd', 'reverted with 0x1234abcd00'],
  [`0x1234abce${'00'.repeat(9_000)}`, '0x1234abce', 'reverted with 9004 bytes'],
  [
    nested(encode('V2TooLittleReceived')),
    'V2TooLittleReceived',
    'command 2 of the router reverted with V2TooLittleReceived()',
  ],
])('a revert -> its identity without amounts, and its text', (revert, identity, text) => {
  expect(identifyRevert(revert)).toBe(identity);
  expect(describeRevert(revert)).toBe(text);
});
