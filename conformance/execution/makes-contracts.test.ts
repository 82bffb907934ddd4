import { expect, test } from 'vitest';
import { bytecodeOf } from './bytecode.ts';
import { mayMakeContracts } from './makes-contracts.ts';

const HASH = 'f0f2f4f5'.repeat(8);

test.each([
  ['CREATE', '0x5f5f5ff0', true],
  ['CREATE2', '0x5f5f5f5ff5', true],
  ['a delegate call, which runs any code', '0x365f5f375af4', true],
  ['bytes that are pushed', '0x61f0f500', false],
  ['32 bytes that are pushed, then CREATE', `0x7f${HASH}f0`, true],
  [
    'a hash of sources behind the code',
    `0x5f00a2646970667358221220${HASH}64736f6c63430008220033`,
    false,
  ],
  [
    'the same bytes without a length',
    `0x5f00a2646970667358221220${HASH}64736f6c63430008220000`,
    true,
  ],
  ['no code', '0x', false],
  ['a contract of ours, which calls alone', bytecodeOf('state-reader'), false],
] as const)('%s -> %s %s', (_, code, expected) => {
  expect(mayMakeContracts(code)).toBe(expected);
});
