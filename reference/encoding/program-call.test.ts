import fc from 'fast-check';
import { concatHex, encodeFunctionData, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { forAll } from '../../scripts/tests/helpers/for-all.testing.ts';
import { parseAddress } from '../planner/domain/address.ts';
import { encodeProgramCall } from './program-call.ts';
import { ROUTER_ABI } from './router-abi.ts';

const word = fc.bigInt(0n, 2n ** 256n - 1n);
const address = fc
  .bigInt(0n, 2n ** 160n - 1n)
  .map((value) => parseAddress(numberToHex(value, { size: 20 })));
const order = fc.record({
  sellAmount: word,
  buyAmount: word,
  recipient: address,
  deadline: word,
  unwrap: fc.boolean(),
});
const program = fc.record({
  tokens: fc.array(address),
  swaps: fc.array(fc.record({ hop: word, share: word })),
  quotes: fc.array(fc.array(word)),
});

test('any program -> the calldata that an encoder of any types makes', () => {
  forAll([fc.constantFrom('sell', 'buy'), order, program], { seed: 3 }, (exact, order, program) => {
    const { tokens, swaps, quotes } = program;
    const handed = quotes.map((words) => concatHex(words.map((w) => numberToHex(w, { size: 32 }))));
    const expected =
      quotes.length === 0
        ? encodeFunctionData({
            abi: ROUTER_ABI,
            functionName: `${exact}Exactly`,
            args: [order, tokens, swaps],
          })
        : encodeFunctionData({
            abi: ROUTER_ABI,
            functionName: `${exact}WithQuotes`,
            args: [order, tokens, swaps, handed],
          });
    expect(encodeProgramCall(exact, order, program)).toBe(expected);
  });
});
