import { expect, test } from 'vitest';
import { readGasCap, TRANSACTION_GAS_CAP } from './gas-cap.ts';
import { JsonRpcError } from './json-rpc.ts';

const refusing = (message: string) => async (method: string) => {
  throw new JsonRpcError(method, { code: -32000, message });
};

test.each([
  // Geth and Reth report the cap as the allowance of an estimate. Besu reports that the limit is
  // too high.
  ['gas required exceeds allowance (16777216)', TRANSACTION_GAS_CAP],
  ['Out of gas: gas required exceeds allowance: 16777216', TRANSACTION_GAS_CAP],
  ['transaction gas limit 16777217 is greater than the cap 0x1000000', TRANSACTION_GAS_CAP],
  // A chain without the cap reports the allowance. A provider reports its own limit.
  ['gas required exceeds allowance (16777217)', undefined],
  ['gas required exceeds allowance (10000000)', undefined],
  ['the method eth_estimateGas does not exist', undefined],
])('%s -> %s', async (message, cap) => {
  expect(await readGasCap(refusing(message))).toBe(cap);
});

test('a node that estimates the gas of an endless call -> undefined', async () => {
  expect(await readGasCap(async <T>() => '0x5208' as T)).toBeUndefined();
});
