import { describe, expect, test } from 'vitest';
import type { Asset } from '../discovery/facts.ts';
import { type Ask, requestOf } from './ask.ts';
import { neighboursOf } from './neighbours.ts';

const WRAPPED = `0x${'1'.repeat(40)}` as const;
const asset = (digit: string, native = false): Asset => ({
  address: `0x${digit.repeat(40)}`,
  symbol: digit,
  decimals: 18,
  usdPrice: undefined,
  native,
});
const ask: Ask = {
  chainId: 5,
  router: 'default-router',
  sell: asset('0', true),
  buy: asset('2'),
  trade: 'exact-input',
  amount: 7n,
  slippageBps: 0,
  user: `0x${'a'.repeat(40)}`,
  recipient: undefined,
};
const asks: readonly Ask[] = Array.from({ length: 5 }, () => ask);

describe('neighboursOf', () => {
  test('five trades -> each asked for with one parameter changed, another each time', () => {
    const whole = requestOf(ask).query as readonly (readonly [string, string])[];
    const changed = neighboursOf(asks, { wrappedNative: WRAPPED }).map((neighbour) => {
      const query = requestOf(neighbour).query as readonly (readonly [string, string])[];
      return query.filter(([name, value]) => !whole.some(([n, v]) => n === name && v === value));
    });
    expect(changed).toEqual([
      [['userAddress', expect.stringMatching(/^0x0+c0ffee03$/)]],
      [['recipientAddress', expect.stringMatching(/^0x0+c0ffee03$/)]],
      [['slippageTolerance', '0.01']],
      [['sellAmount', '4']],
      [['sellToken', WRAPPED]],
    ]);
  });

  test('what is set already -> unset, and back', () => {
    const set: Ask = { ...ask, recipient: `0x${'b'.repeat(40)}`, slippageBps: 50 };
    const [, unset, none] = neighboursOf([set, set, set], { wrappedNative: WRAPPED });
    expect([unset?.recipient, none?.slippageBps]).toEqual([undefined, 0]);
  });

  test('no wrapped token known, or no calldata -> as it was, or left out', () => {
    expect(neighboursOf(asks, { wrappedNative: undefined })[4]).toEqual(ask);
    expect(neighboursOf([{ ...ask, slippageBps: undefined }], { wrappedNative: WRAPPED })).toEqual(
      [],
    );
  });
});
