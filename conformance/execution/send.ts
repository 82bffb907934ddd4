import type { Address } from '../model/trade-request.ts';
import { quantity, type Rpc } from './json-rpc.ts';

/** One call made by a user. */
export type UserCall = {
  readonly to: Address;
  readonly value: bigint;
  readonly data: `0x${string}`;
};

/**
 * Runs `body` and reverts all its changes of the chain. Nothing else may use the node in the meantime.
 */
export async function isolated<Result>(rpc: Rpc, body: () => Promise<Result>): Promise<Result> {
  const snapshot = await rpc('evm_snapshot');
  try {
    return await body();
  } finally {
    await rpc('evm_revert', [snapshot]);
  }
}

/** Mines many calls of one account in one block, free of gas, and returns those that failed. */
export async function mineAll(
  rpc: Rpc,
  from: Address,
  calls: readonly UserCall[],
  gasLimit = 1_000_000n,
): Promise<readonly UserCall[]> {
  await rpc('evm_setBlockGasLimit', [quantity(BigInt(calls.length + 1) * gasLimit)]);
  await setBaseFee(rpc, 0n);
  const hashes: string[] = [];
  for (const call of calls) hashes.push(await send(rpc, from, call, gasLimit));
  await mineBlock(rpc);
  const receipts = await Promise.all(
    hashes.map((hash) => rpc<Receipt | null>('eth_getTransactionReceipt', [hash])),
  );
  return calls.filter((_, index) => receipts[index]?.status !== '0x1');
}

/** Mines a block without a base fee, at the given time if there is one. */
export async function mine(rpc: Rpc, timestamp?: number): Promise<void> {
  await setBaseFee(rpc, 0n);
  await mineBlock(rpc, timestamp);
}

/** Sets the base fee of the next block, which a transaction must pay to be accepted. */
async function setBaseFee(rpc: Rpc, baseFeePerGas: bigint): Promise<void> {
  await rpc('anvil_setNextBlockBaseFeePerGas', [quantity(baseFeePerGas)]);
}

async function mineBlock(rpc: Rpc, timestamp?: number): Promise<void> {
  await rpc('evm_mine', timestamp === undefined ? [] : [{ timestamp }]);
}

function send(
  rpc: Rpc,
  from: Address,
  { to, data, value }: UserCall,
  gasLimit: bigint,
  gasPrice = 0n,
): Promise<string> {
  const transaction = { from, to, data, value: quantity(value), gas: quantity(gasLimit) };
  return rpc<string>('eth_sendTransaction', [{ ...transaction, gasPrice: quantity(gasPrice) }]);
}

type Receipt = { readonly status: string };
