import { expect, test } from 'vitest';
import { exchangeWith } from '../../client/exchange.testing.ts';
import { tinyPlan } from '../../runner/tiny-service.testing.ts';
import { readSwapPlan } from './read-swap-plan.ts';

const router = `0x${'a'.repeat(40)}`;

function transactionOf(gasLimit: unknown) {
  const value = { ...tinyPlan('1000'), routerAddress: router, calldata: '0x00', gasLimit };
  return readSwapPlan(exchangeWith(value))?.transaction;
}

test.each([
  ['350000', '350000'],
  ['0x55730', '350000'],
  ['0X55730', undefined],
  ['350000.0', undefined],
  ['0x', undefined],
  [350_000, undefined],
])('the gas limit %j -> %s', (gasLimit, expected) => {
  expect(transactionOf(gasLimit)?.gasLimit.toString()).toBe(expected);
});
