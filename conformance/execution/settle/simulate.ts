import {
  type BlockFields,
  type Call,
  type Hex,
  type Overrides,
  REJECTED,
  type Scenario,
  type Settlement,
} from '../../model/scenario.ts';
import { TRANSACTION_GAS_CAP } from '../node/gas-cap.ts';
import { JsonRpcError, quantity, type Rpc } from '../node/json-rpc.ts';
import { lossIfRejected, NodeLossError, UnsettledError } from '../node/node-losses.ts';
import type { SimulatedCall } from '../node/reply-schemas.ts';
import { type BlockSource, hashesIn, storedAtBlockStart } from './block-history.ts';
import { gasPriceIn } from './gas-price.ts';
import { type Impossible, impossible, isImpossible } from './impossible.ts';
import {
  balanceReaderAt,
  balancesCall,
  changesBetween,
  decodeHeld,
  gasCostOf,
  type Held,
  type Measured,
  readerIn,
} from './measured-balances.ts';
import { paymentsInLogs } from './payments.ts';
import { describeRevert, identifyRevert, OUT_OF_GAS } from './revert.ts';

/** A node with the state on which scenarios are settled. */
export type StateSource = BlockSource & { readonly rpc: Rpc };

/**
 * Settles a scenario. Throws `NodeLossError` if the node fails, and `UnsettledError` if a call
 * before the trade fails.
 */
export type Settle = (fork: StateSource, scenario: Scenario) => Promise<Settlement>;

/**
 * Gas that every node must allow for all calls of a simulation together, so that the balance reads
 * cannot reduce the gas of the trade. `checkCanSettle` requires it.
 */
const MIN_SIMULATION_GAS = 2n * TRANSACTION_GAS_CAP;
/** More gas than any pool or token needs. */
const UNLIMITED_GAS = 1_000_000_000n;

/**
 * Returns how much gas each call may use if the block contains nothing else. Reth rejects blocks
 * with more gas than the chain's blocks, and transactions with more gas than EIP-7825 allows.
 */
export function gasOfEach(
  { maxBlockGas }: StateSource,
  calls: number,
  most = TRANSACTION_GAS_CAP,
): bigint {
  if (maxBlockGas === undefined) return UNLIMITED_GAS;
  const share = maxBlockGas / BigInt(calls);
  return share < most ? share : most;
}

/**
 * Settles a scenario in one request, which changes nothing on the node: the calls before the trade,
 * the trade, and the measured balances before and after it. Each block in between is named, because
 * nodes fill gaps with blocks 12 s apart.
 */
export const simulate: Settle = async (source, scenario) => {
  const { block, fields, before, trade, gas, measured } = scenario;
  const calls = before.length + 1;
  const each = gasOfEach(source, calls);
  const reader = readerIn(scenario);
  const read = balancesCall(reader, measured, each);
  const free = { baseFee: 0n, gasLimit: each * BigInt(calls) };
  const between = Array.from({ length: fields.number - block - 2 }, (_, at) => ({
    blockOverrides: blockOf(scenario, { number: block + 2 + at }),
    calls: [],
  }));
  const blockStateCalls = [
    {
      blockOverrides: blockOf(scenario, { number: block + 1, ...free }),
      stateOverrides: { ...stateOf(scenario.overrides), ...balanceReaderAt(reader) },
      calls: [...before.map((call) => transactionOf(call, each)), read],
    },
    ...between,
    {
      blockOverrides: {
        ...blockOf(scenario, fields),
        ...hashesIn(source, scenario),
      },
      // Code at an otherwise unused address would reveal the judge.
      stateOverrides: stateOf({
        ...storedAtBlockStart(source, scenario),
        [reader]: { code: '0x' },
      }),
      calls: [transactionOf(trade, gas, fields)],
    },
    {
      blockOverrides: blockOf(scenario, { number: fields.number + 1, ...free }),
      stateOverrides: balanceReaderAt(reader),
      calls: [read],
    },
  ];
  const simulated = await rejectionOr(
    source.rpc<readonly { readonly calls: readonly SimulatedCall[] }[]>('eth_simulateV1', [
      { blockStateCalls, validation: true, traceTransfers: true },
      quantity(block),
    ]),
  );
  if (isImpossible(simulated)) return rejected(simulated.why);
  const [earlier = []] = simulated.map((done) => done.calls);
  const [[settled], [after]] = [simulated.at(-2)?.calls ?? [], simulated.at(-1)?.calls ?? []];
  const held = earlier.at(-1);
  if (earlier.length !== calls || held === undefined || !settled || !after) {
    throw new NodeLossError('eth_simulateV1 did not return all calls');
  }
  const failed = earlier.slice(0, -1).find(({ status }) => status !== '0x1');
  if (failed !== undefined) throw new EarlierCallError(describeRevert(revertDataOf(failed)));
  const [first, last] = [heldIn(held, measured), heldIn(after, measured)];
  const isSettled = settled.status === '0x1';
  const gasUsed = BigInt(settled.gasUsed);
  const used = earlier.reduce((sum, done) => sum + BigInt(done.gasUsed), 0n);
  if (!isSettled && source.maxBlockGas !== undefined && used + gas > MIN_SIMULATION_GAS) {
    throw new NodeLossError('it may give a trade less gas than its limit after other calls');
  }
  const returned = isSettled ? settled.returnData : revertDataOf(settled);
  const payments = isSettled ? paymentsInLogs(settled.logs) : [];
  return {
    outcome: isSettled ? 'settled' : 'reverted',
    gasUsed,
    ...(!isSettled && whyReverted(returned, gasUsed === gas)),
    ...ifReadable(returned),
    changes: changesBetween(
      first,
      last,
      scenario,
      gasCostOf({ first, last, gasUsed, payments }, scenario),
    ),
    payments,
  };
};

function heldIn({ status, returnData, gasUsed }: SimulatedCall, measured: Measured): Held {
  if (status === '0x1') return decodeHeld(returnData, measured);
  throw new NodeLossError(`did not read the balances of a trade within ${BigInt(gasUsed)} gas`);
}

/** Returns the revert data of a call. Geth reports it only in the error. */
function revertDataOf({ returnData, error }: SimulatedCall): Hex {
  const data = error?.data;
  const isData = typeof data === 'string' && /^0x([0-9a-f]{2})+$/i.test(data);
  return returnData === '0x' && isData ? (data as Hex) : returnData;
}

/** Maximum length of return data in a settlement. No plan has enough steps to need more. */
const MAX_RETURNED = 100_000;

/** Returns the return data of a trade, unless it is too large to be stored. */
export function ifReadable(returned: Hex = '0x'): Pick<Settlement, 'returned'> {
  return returned.length > MAX_RETURNED ? {} : { returned };
}

/** Returns the settlement of a trade that the node rejects for the given reason. */
export function rejected(reason: string): Settlement {
  const noEffect = { gasUsed: 0n, changes: [], payments: [] };
  return { ...noEffect, outcome: 'rejected', reason, error: REJECTED };
}

/**
 * Returns the reason why a transaction reverted, as text and as an identifier. A transaction that
 * fails without reverting, for example at an invalid instruction, uses all its gas.
 */
function whyReverted(returned: Hex, usedAllGas: boolean) {
  return usedAllGas
    ? { reason: 'it ran out of gas', error: OUT_OF_GAS }
    : { reason: describeRevert(returned), error: identifyRevert(returned) };
}

/**
 * Resolves to the result of a call, or to the reason why the node rejects its transaction.
 *
 * @throws {NodeLossError} for any other error, since it does not concern the trade
 */
export async function rejectionOr<Result>(called: Promise<Result>): Promise<Result | Impossible> {
  try {
    return await called;
  } catch (error) {
    if (isRejection(error)) return impossible(error.message);
    throw lossIfRejected(error);
  }
}

/**
 * Errors of a transaction in `eth_simulateV1`: its nonce, fees, gas limit, funds, sender or init
 * code. Every other error concerns the request or the node.
 *
 * @see https://ethereum.github.io/execution-apis
 */
const REJECTIONS: ReadonlySet<number | undefined> = new Set([
  -38_010, -38_011, -38_012, -38_013, -38_014, -38_024, -38_025,
]);
/** Anvil and some nodes report such errors under general codes. */
const REJECTION_WORDS =
  /intrinsic gas|floor data gas|CallGasCostMoreThanGasLimit|insufficient funds|nonce too (low|high)|less than block base fee/i;

/** Returns whether a node rejects a transaction because of the transaction itself. */
function isRejection(error: unknown): error is JsonRpcError {
  if (!(error instanceof JsonRpcError)) return false;
  return REJECTIONS.has(error.code) || REJECTION_WORDS.test(error.message);
}

/**
 * Returns a call as a transaction in JSON-RPC. It pays the gas price of a trade in the given block;
 * without a block, nothing.
 */
export function transactionOf({ from, to, data, value }: Call, gas: bigint, fields?: BlockFields) {
  const [baseFee, gasPrice] = fields ? [fields.baseFee, gasPriceIn(fields)] : [0n, 0n];
  return {
    from,
    to,
    input: data,
    value: quantity(value),
    gas: quantity(gas),
    maxFeePerGas: quantity(gasPrice),
    maxPriorityFeePerGas: quantity(gasPrice - baseFee),
  };
}

/** Returns overrides of accounts in JSON-RPC. */
export function stateOf(overrides: Overrides) {
  const accounts = Object.entries(overrides).map(([account, { balance, nonce, code, storage }]) => [
    account,
    {
      ...(balance !== undefined && { balance: quantity(balance) }),
      ...(nonce !== undefined && { nonce: quantity(nonce) }),
      ...(code !== undefined && { code }),
      ...(storage !== undefined && { stateDiff: storage }),
    },
  ]);
  return Object.fromEntries(accounts);
}

/**
 * Returns the fields of a scenario's block in JSON-RPC, with the names that `eth_simulateV1` and
 * `debug_traceCall` share. Blocks before the trade's are a second apart.
 */
export function blockOf(
  { time, fields }: Scenario,
  {
    number,
    baseFee,
    coinbase,
    prevRandao,
    gasLimit,
  }: Pick<BlockFields, 'number'> & Partial<BlockFields>,
) {
  return {
    number: quantity(number),
    time: quantity(time + number - fields.number),
    ...(baseFee !== undefined && { baseFeePerGas: quantity(baseFee) }),
    ...(gasLimit !== undefined && { gasLimit: quantity(gasLimit) }),
    ...(coinbase !== undefined && { feeRecipient: coinbase }),
    ...(prevRandao !== undefined && { prevRandao }),
  };
}

/** A call before the trade failed, so the trade's circumstances do not exist. */
export class EarlierCallError extends UnsettledError {
  override readonly name = 'EarlierCallError';

  constructor(reason: string) {
    super(`a call before the trade ${reason}`);
  }
}
