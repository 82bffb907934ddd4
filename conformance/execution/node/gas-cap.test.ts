import { expect, test } from 'vitest';
import { readGasCap, TRANSACTION_GAS_CAP } from './gas-cap.ts';
import { JsonRpcError } from './json-rpc.ts';

const refusing = (message: string) => async (method: string) => {
  throw new JsonRpcError(method, { code: -32000, message });
};

test.each([
  // Geth reports the cap as the allowance of an estimate; so does Reth. Besu reports that a limit
  // is too high.
  ['gas required exceeds allowance (16777216)', TRANSACTION_GAS_CAP],
  ['Out of gas: gas required exceeds allowance: 16777216', TRANSACTION_GAS_CAP],
  ['transaction gas limit 16777217 is greater than the cap 0x1000000', TRANSACTION_GAS_CAP],
  // An allowance on a chain without the cap, and a provider's own limit.
  ['gas required exceeds allowance (16777217)', undefined],
  ['gas required exceeds allowance (10000000)', undefined],
  ['the method eth_estimateGas does not exist', undefined],
])('%s -> %s', async (message, cap) => {
  expect(await readGasCap(refusing(message))).toBe(cap);
});

test('a node that estimates the gas of an endless call -> undefined', async () => {
  expect(await readGasCap(async <T>() => '0x5208' as T)).toBeUndefined();
});
