import {
  concatHex,
  encodeFunctionData,
  keccak256,
  parseAbi,
  prepareEncodeFunctionData,
  slice,
} from 'viem';
import type { Hex, Overrides, Scenario } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';
import { bytecodeOf } from '../node/bytecode.ts';
import { gasPriceIn } from '../settle/gas-price.ts';
import { combine } from '../settle/provision.ts';

const CODE = bytecodeOf('wallet');
const EXECUTE = prepareEncodeFunctionData({
  abi: parseAbi(['function execute(address to, uint256 value, bytes data)']),
});
/**
 * Prefix of the code of an account that delegates.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7702
 */
const DELEGATION = '0xef0100';
/** A wallet needs additional gas to copy its calldata and to receive native tokens. */
const GAS_PER_BYTE = 20n;
const WALLET_GAS = 60_000n;

/**
 * Returns a scenario in which an account is a contract, such as a Safe. A router that sends it
 * native tokens with only 2,300 gas fails. The account may be the recipient or the user. As the
 * user, it is a contract and also `tx.origin`.
 */
export function asContract(scenario: Scenario, account: Address): Scenario {
  return withOverrides(scenario, { [account]: { code: codeOf(account) } });
}

/**
 * Returns a scenario in which an account delegates to a contract. The account sends transactions
 * and is `tx.origin`, but has code. A router that sends it native tokens with only 2,300 gas fails.
 */
export function asDelegated(scenario: Scenario, account: Address): Scenario {
  const delegate = slice(keccak256(account), 12);
  return withOverrides(scenario, {
    [account]: { code: concatHex([DELEGATION, delegate]) },
    [delegate]: { code: codeOf(account) },
  });
}

/**
 * Returns a scenario in which the user is a contract that makes the trade for its owner. The owner
 * is `tx.origin` and pays for the gas. Such a trade needs more gas. If the owner also has tokens
 * and approvals, the scenario reveals a router that takes tokens from `tx.origin`.
 */
export function sentByOwner(scenario: Scenario, owner: Address): Scenario {
  const { trade, gas, fields, overrides } = scenario;
  const data = encodeFunctionData({ ...EXECUTE, args: [trade.to, trade.value, trade.data] });
  // A call receives at most 63/64 of the gas.
  const needed = (gas * 64n) / 63n + GAS_PER_BYTE * BigInt(data.length / 2) + WALLET_GAS;
  const enough = needed < fields.gasLimit ? needed : fields.gasLimit;
  const balance = (overrides[owner]?.balance ?? 0n) + enough * gasPriceIn(fields);
  return {
    ...withOverrides(asContract(scenario, trade.from), { [owner]: { balance } }),
    trade: { from: owner, to: trade.from, value: 0n, data },
    gas: enough,
  };
}

function withOverrides(scenario: Scenario, overrides: Overrides): Scenario {
  return { ...scenario, ...combine(scenario, { overrides, before: [] }) };
}

/** Returns code that ends with the account's address, so that no hash of code reveals a test. */
function codeOf(account: Address): Hex {
  return concatHex([CODE, account]);
}
