import type { Log } from '../model/scenario.ts';
import type { Mined, UserCall } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { type CallFrame, traceOf, whyFailed } from './call-trace.ts';
import { JsonRpcError, quantity, type Rpc, undefinedIfRejected } from './json-rpc.ts';

/**
 * Transactions that use more gas are not traced, and count as failed: they can
 * return so much that the node runs out of memory. Trades use a tenth of it.
 */
const MAX_TRACED_GAS = 10_000_000n;

/** Options of a transaction. */
export type SendOptions = {
  readonly gasLimit: bigint;
  /** Unix time in seconds of its block, later than the block before; default a second later. */
  readonly timestamp?: number;
  /** Base fee of its block in wei; default 0. The transaction pays twice as much for each unit of gas. */
  readonly baseFeePerGas?: bigint;
  /** Whether to trace a transaction that succeeds; default true. One that fails is always traced. */
  readonly traces?: boolean | undefined;
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

/** Outcome of a transaction; what it paid for gas, in wei, and its calls, if it was mined. */
export type MinedCall = {
  readonly mined: Mined;
  readonly gasCost: bigint;
  readonly calls?: CallFrame;
};

/** Mines and traces a transaction of `from`, whose key is not needed. */
export async function mineCall(
  rpc: Rpc,
  from: Address,
  call: UserCall,
  { gasLimit, timestamp, baseFeePerGas = 0n, traces = true }: SendOptions,
): Promise<MinedCall> {
  let hash: string;
  try {
    await setBaseFee(rpc, baseFeePerGas);
    hash = await send(rpc, from, call, gasLimit, gasPriceAt(baseFeePerGas));
  } catch (error) {
    if (error instanceof JsonRpcError) return notMined(error.message);
    throw error;
  }
  await mineBlock(rpc, timestamp);
  const receipt = await rpc<Receipt | null>('eth_getTransactionReceipt', [hash]);
  if (receipt === null) {
    await rpc('anvil_dropAllTransactions');
    return notMined('the block has no room for its gas');
  }
  const gasUsed = BigInt(receipt.gasUsed);
  const gasCost = gasUsed * BigInt(receipt.effectiveGasPrice);
  const success = receipt.status === '0x1';
  const outcome = { kind: 'mined', gasUsed, logs: receipt.logs } as const;
  if (success && !traces) return { mined: { ...outcome, success }, gasCost };
  const calls =
    gasUsed > MAX_TRACED_GAS ? undefined : await undefinedIfRejected(traceOf(rpc, hash));
  if (calls === undefined) {
    const reason = `its calls are too large to be traced: it used ${gasUsed} gas`;
    return { mined: { ...outcome, success: false, reason, error: 'not-traced' }, gasCost };
  }
  const failure = success ? undefined : whyFailed(calls);
  return { mined: { ...outcome, success, ...failure }, gasCost, calls };
}

/** Returns the gas price of a transaction, in wei, in a block with a base fee. */
export function gasPriceAt(baseFeePerGas: bigint): bigint {
  return 2n * baseFeePerGas;
}

function notMined(reason: string): MinedCall {
  return { mined: { kind: 'refused', reason, error: 'rejected-by-node' }, gasCost: 0n };
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

type Receipt = {
  readonly status: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
  readonly logs: readonly Log[];
};
