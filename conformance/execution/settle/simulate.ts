import { keccak256 } from 'viem';
import type {
  BlockFields,
  Call,
  Hex,
  Log,
  Overrides,
  Scenario,
  Settlement,
} from '../../model/scenario.ts';
import { JsonRpcError, quantity, type Rpc } from '../node/json-rpc.ts';
import { BALANCE_READER, balancesCall, changesBetween, decodeHeld } from './measured-balances.ts';
import { paymentsInLogs } from './payments.ts';
import { describeRevert, identifyRevert, OUT_OF_GAS } from './revert.ts';

/** A node with the state on which scenarios are settled. */
export type StateSource = {
  readonly rpc: Rpc;
  /** Maximum gas of a block; undefined for our own nodes, which have no limit. */
  readonly maxBlockGas?: bigint | undefined;
};

/**
 * Settles a scenario. Throws `NodeLossError` if the node does not return state that the scenario
 * needs, and `JsonRpcError` only for a fault of the node.
 */
export type Settle = (fork: StateSource, scenario: Scenario) => Promise<Settlement>;

/** Maximum gas of a transaction under EIP-7825. */
export const MAX_TRANSACTION_GAS = 1n << 24n;
/** More gas than any pool or token needs. */
const UNLIMITED_GAS = 1_000_000_000n;

/**
 * Returns how much gas each call may use if the block contains nothing else. Reth rejects blocks
 * with more gas than the chain's blocks, and transactions with more gas than EIP-7825 allows.
 */
export function gasOfEach(
  { maxBlockGas }: StateSource,
  calls: number,
  most = MAX_TRANSACTION_GAS,
): bigint {
  if (maxBlockGas === undefined) return UNLIMITED_GAS;
  const share = maxBlockGas / BigInt(calls);
  return share < most ? share : most;
}

type SimulatedCall = {
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly returnData: Hex;
  readonly logs: readonly Log[];
};

/**
 * Settles a scenario in one request, which changes nothing on the node: the calls before the trade,
 * the trade, and the measured balances before and after it.
 */
export const simulate: Settle = async (source, scenario) => {
  const { block, fields, time, before, measured } = scenario;
  const calls = before.length + 1;
  const each = gasOfEach(source, calls);
  const read = balancesCall(measured, each);
  const free = { baseFeePerGas: '0x0', gasLimit: quantity(each * BigInt(calls)) };
  const blockStateCalls = [
    {
      blockOverrides: { ...free, number: quantity(block + 1), time: quantity(time - 1) },
      stateOverrides: { ...stateOf(scenario.overrides), ...BALANCE_READER },
      calls: [...before.map((call) => transactionOf(call, each, 0n)), read],
    },
    {
      blockOverrides: {
        ...{ ...blockOf(fields), time: quantity(time), blockHash: hashesBefore(scenario) },
      },
      calls: [transactionOf(scenario.trade, scenario.gas, gasPriceOf(scenario))],
    },
    {
      blockOverrides: { ...free, number: quantity(fields.number + 1), time: quantity(time + 1) },
      calls: [read],
    },
  ];
  const simulated = await rejectionOr(
    source.rpc<readonly { readonly calls: readonly SimulatedCall[] }[]>('eth_simulateV1', [
      { blockStateCalls, validation: true, traceTransfers: true },
      quantity(block),
    ]),
  );
  if (typeof simulated === 'string') return rejected(simulated);
  const [earlier = [], [trade] = [], [after] = []] = simulated.map(({ calls }) => calls);
  const held = earlier.at(-1);
  if (held === undefined || trade === undefined || after === undefined) {
    throw new JsonRpcError('eth_simulateV1', { message: 'it did not return all calls' });
  }
  if (earlier.some(({ status }) => status !== '0x1')) return EARLIER_FAILED;
  const [gasUsed, isSettled] = [BigInt(trade.gasUsed), trade.status === '0x1'];
  const [first, last] = [decodeHeld(held.returnData), decodeHeld(after.returnData)];
  return {
    outcome: isSettled ? 'settled' : 'reverted',
    gasUsed,
    ...(!isSettled && whyReverted(trade.returnData, gasUsed === scenario.gas)),
    ...ifReadable(trade.returnData),
    changes: changesBetween(first, last, scenario, gasUsed * gasPriceOf(scenario)),
    payments: isSettled ? paymentsInLogs(trade.logs) : [],
  };
};

/** Maximum length of return data in a settlement. No plan has enough steps to need more. */
const MAX_RETURNED = 100_000;

/** Returns the return data of a trade, unless it is too large to be stored. */
export function ifReadable(returned: Hex = '0x'): Pick<Settlement, 'returned'> {
  return returned.length > MAX_RETURNED ? {} : { returned };
}

const NO_EFFECT = { gasUsed: 0n, changes: [], payments: [] } as const;

/** The settlement of a scenario whose earlier calls fail. */
export const EARLIER_FAILED: Settlement = {
  ...NO_EFFECT,
  ...{ outcome: 'reverted', reason: 'an earlier call failed', error: 'earlier-call' },
};

/** Returns the settlement of a trade that the node rejects for the given reason. */
export function rejected(reason: string): Settlement {
  return { ...NO_EFFECT, outcome: 'rejected', reason, error: 'rejected-by-node' };
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

/** Returns the gas price of a trade, in wei. */
export function gasPriceOf({ fields }: Scenario): bigint {
  return 2n * fields.baseFee;
}

/** Resolves to the result of a call, or to the reason why the node rejects it. */
export async function rejectionOr<Result>(called: Promise<Result>): Promise<Result | string> {
  try {
    return await called;
  } catch (error) {
    if (error instanceof JsonRpcError) return error.message;
    throw error;
  }
}

/** Returns a call as a transaction in JSON-RPC. */
export function transactionOf({ from, to, data, value }: Call, gas: bigint, gasPrice: bigint) {
  return {
    ...{ from, to, data, value: quantity(value) },
    ...{ gas: quantity(gas), gasPrice: quantity(gasPrice) },
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
 * Returns the hashes of the blocks between the forked block and the trade's block, for JSON-RPC.
 * Anvil gives all simulated blocks the same hash.
 */
export function hashesBefore({ block, fields }: Scenario): Readonly<Record<number, Hex>> {
  const hashes: Record<number, Hex> = {};
  let hash = fields.parentHash;
  for (let number = fields.number - 1; number > block; number -= 1) {
    hashes[number] = hash;
    hash = keccak256(hash);
  }
  return hashes;
}

function blockOf({ number, baseFee, coinbase, prevRandao, gasLimit }: BlockFields) {
  return {
    number: quantity(number),
    baseFeePerGas: quantity(baseFee),
    gasLimit: quantity(gasLimit),
    feeRecipient: coinbase,
    prevRandao,
  };
}
