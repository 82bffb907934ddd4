import type { Hex, Overrides, Scenario, Settlement, TracedFrame } from '../../model/scenario.ts';
import { quantity, type Rpc } from '../node/json-rpc.ts';
import { whyFailed } from './call-trace.ts';
import { changesBetween, readHeld } from './measured-balances.ts';
import { paymentsInCalls } from './payments.ts';
import {
  EarlierCallError,
  gasOfEach,
  ifReadable,
  rejected,
  rejectionOr,
  type Settle,
  transactionOf,
} from './simulate.ts';
import { CALL_TRACER } from './trace-call.ts';

type Receipt = {
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
};

/**
 * Settles a scenario in a real transaction of Anvil, traces it, and reverts all changes. Nothing
 * else may use the fork during this time. Tests hold `simulate` to the same settlement.
 */
export const mine: Settle = async ({ rpc }, scenario) => {
  await rpc('anvil_autoImpersonateAccount', [true]);
  await rpc('anvil_setBlockTimestampInterval', [1]);
  const snapshot = await rpc('evm_snapshot');
  try {
    return await settleInBlock(rpc, scenario, gasOfEach({ rpc }, scenario.before.length + 1));
  } finally {
    await rpc('anvil_removeBlockTimestampInterval');
    await rpc('anvil_dropAllTransactions');
    await rpc('evm_revert', [snapshot]);
  }
};

async function settleInBlock(
  rpc: Rpc,
  scenario: Scenario,
  gasOfEarlier: bigint,
): Promise<Settlement> {
  const { block, time, fields, before, trade, measured } = scenario;
  await applyOverrides(rpc, scenario.overrides);
  await prepareBlock(rpc, 0n, gasOfEarlier * BigInt(before.length + 1));
  for (const call of before) await send(rpc, transactionOf(call, gasOfEarlier));
  /** Mines blocks that are a second apart. */
  const mineBlocks = (first: number, last: number) =>
    rpc('evm_mine', [{ timestamp: time + first - fields.number, blocks: last - first + 1 }]);
  await mineBlocks(block + 1, block + 1);
  if (!(await areAllMined(rpc, block + 1, before.length))) throw new EarlierCallError('failed');
  // Balances of some tokens grow, so they are read at the same times as in a simulation.
  const held = await readHeld(rpc, measured);
  if (fields.number > block + 2) await mineBlocks(block + 2, fields.number - 1);
  await prepareBlock(rpc, fields.baseFee, fields.gasLimit);
  await rpc('anvil_setCoinbase', [fields.coinbase]);
  const hash = await rejectionOr(send(rpc, transactionOf(trade, scenario.gas, fields)));
  if (typeof hash === 'object') return rejected(hash.why);
  await mineBlocks(fields.number, fields.number + 1);
  const receipt = await receiptOf(rpc, hash);
  if (receipt === null) return rejected('the block has no room for its gas');
  const gasUsed = BigInt(receipt.gasUsed);
  const gasCost = gasUsed * BigInt(receipt.effectiveGasPrice);
  const changes = changesBetween(held, await readHeld(rpc, measured), scenario, gasCost);
  const calls = await traceOf(rpc, hash);
  const effects = { gasUsed, ...ifReadable(calls.output), changes, calls };
  return receipt.status === '0x1'
    ? { outcome: 'settled', ...effects, payments: paymentsInCalls(calls) }
    : { outcome: 'reverted', ...whyFailed(calls), ...effects, payments: [] };
}

/** Writes overrides to the state of a node. */
export async function applyOverrides(rpc: Rpc, overrides: Overrides): Promise<void> {
  const calls = Object.entries(overrides).flatMap(
    ([account, { balance, nonce, code, storage = {} }]) => [
      ...(balance === undefined ? [] : [rpc('anvil_setBalance', [account, quantity(balance)])]),
      ...(nonce === undefined ? [] : [rpc('anvil_setNonce', [account, quantity(nonce)])]),
      ...(code === undefined ? [] : [rpc('anvil_setCode', [account, code])]),
      ...Object.entries(storage).map(([slot, value]) =>
        rpc('anvil_setStorageAt', [account, slot, value]),
      ),
    ],
  );
  await Promise.all(calls);
}

/** Anvil accepts a transaction only if it pays the base fee of the next block. */
async function prepareBlock(rpc: Rpc, baseFee: bigint, gasLimit: bigint): Promise<void> {
  await rpc('anvil_setNextBlockBaseFeePerGas', [quantity(baseFee)]);
  await rpc('evm_setBlockGasLimit', [quantity(gasLimit)]);
}

function send(rpc: Rpc, transaction: ReturnType<typeof transactionOf>): Promise<string> {
  return rpc<string>('eth_sendTransaction', [transaction]);
}

function receiptOf(rpc: Rpc, hash: string): Promise<Receipt | null> {
  return rpc<Receipt | null>('eth_getTransactionReceipt', [hash]);
}

async function areAllMined(rpc: Rpc, block: number, transactions: number): Promise<boolean> {
  if (transactions === 0) return true;
  const receipts = await rpc<readonly Receipt[] | null>('eth_getBlockReceipts', [quantity(block)]);
  return receipts?.length === transactions && receipts.every(({ status }) => status === '0x1');
}

function traceOf(rpc: Rpc, hash: string): Promise<TracedFrame> {
  return rpc<TracedFrame>('debug_traceTransaction', [hash, CALL_TRACER]);
}
