import type { Log, Mined, UserCall } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { type CallFrame, traceOf, whyFailed } from './call-trace.ts';
import { JsonRpcError, quantity, type Rpc } from './json-rpc.ts';

/** How a transaction is sent. */
export type SendOptions = {
  readonly gasLimit: bigint;
  /** Unix time in seconds of its block, later than the block before; default a second later. */
  readonly timestamp?: number;
};

/**
 * Runs `body` and undoes all that it did to the chain. One at a time: nothing
 * else may use the node meanwhile.
 */
export async function isolated<Result>(rpc: Rpc, body: () => Promise<Result>): Promise<Result> {
  const snapshot = await rpc('evm_snapshot');
  try {
    return await body();
  } finally {
    await rpc('evm_revert', [snapshot]);
  }
}

/** What came of a transaction, and what it called, where it was mined. */
export type MinedCall = { readonly mined: Mined; readonly calls?: CallFrame };

/** Mines a transaction of `from`, who needs no key here and pays nothing for gas. */
export async function mineCall(
  rpc: Rpc,
  from: Address,
  call: UserCall,
  options: SendOptions,
): Promise<MinedCall> {
  let hash: string;
  try {
    hash = await send(rpc, from, call, options.gasLimit);
  } catch (error) {
    if (error instanceof JsonRpcError) return refused(error.message);
    throw error;
  }
  await mine(rpc, options.timestamp);
  const receipt = await rpc<Receipt | null>('eth_getTransactionReceipt', [hash]);
  if (receipt === null) return refused('the block has no room for its gas');
  const calls = await traceOf(rpc, hash);
  const success = receipt.status === '0x1';
  const reason = success ? undefined : whyFailed(calls);
  const { logs } = receipt;
  return {
    mined: { kind: 'mined', success, gasUsed: BigInt(receipt.gasUsed), logs, reason },
    calls,
  };
}

function refused(reason: string): MinedCall {
  return { mined: { kind: 'refused', reason } };
}

/** Mines many calls of one account in one block, and returns those that failed. */
export async function mineAll(
  rpc: Rpc,
  from: Address,
  calls: readonly UserCall[],
  gasLimit = 1_000_000n,
): Promise<readonly UserCall[]> {
  const hashes: string[] = [];
  for (const call of calls) hashes.push(await send(rpc, from, call, gasLimit));
  await mine(rpc);
  const receipts = await Promise.all(
    hashes.map((hash) => rpc<Receipt>('eth_getTransactionReceipt', [hash])),
  );
  return calls.filter((_, index) => receipts[index]?.status !== '0x1');
}

/** Mines a block, at that time where one is given. */
export async function mine(rpc: Rpc, timestamp?: number): Promise<void> {
  await rpc('anvil_setNextBlockBaseFeePerGas', ['0x0']);
  await rpc('evm_mine', timestamp === undefined ? [] : [{ timestamp }]);
}

function send(rpc: Rpc, from: Address, call: UserCall, gasLimit: bigint): Promise<string> {
  const { to, data, value } = call;
  const transaction = { from, to, data, value: quantity(value), gas: quantity(gasLimit) };
  return rpc<string>('eth_sendTransaction', [{ ...transaction, gasPrice: '0x0' }]);
}

type Receipt = {
  readonly status: string;
  readonly gasUsed: string;
  readonly logs: readonly Log[];
};
