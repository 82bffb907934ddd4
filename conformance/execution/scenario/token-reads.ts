import { encodeFunctionData, erc20Abi, type Hex, parseAbi, prepareEncodeFunctionData } from 'viem';
import type { Overrides } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';
import { type Rpc, undefinedIfRejected } from '../node/json-rpc.ts';
import { stateOf } from '../settle/simulate.ts';

const PERMIT2_ABI = parseAbi([
  'function allowance(address owner, address token, address spender) view returns (uint160, uint48, uint48)',
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
]);
/** Functions of tokens and of Permit2. */
export const TOKEN_ABI = [...erc20Abi, ...PERMIT2_ABI] as const;
/* Selectors are hashed only once, because each read needs one. */
const BALANCE = prepareEncodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf' });
const ALLOWANCE = prepareEncodeFunctionData({ abi: erc20Abi, functionName: 'allowance' });
const PERMIT2_ALLOWANCE = prepareEncodeFunctionData({
  abi: PERMIT2_ABI,
  functionName: 'allowance',
});
const SUPPLY = encodeFunctionData({ abi: erc20Abi, functionName: 'totalSupply' });
/** An unused account. Contracts may reject the zero address. */
export const UNUSED_ACCOUNT: Address = '0x0000000000000000000000000000000000000001';
/**
 * Account whose native balance a call overrides. A token whose balance changes with it is the
 * native token.
 */
const WITNESS: Address = '0x00000000000000000000000000000000c0ffee07';
const WITNESS_MARK = 1_234_567_890_123n;

/** A call that reads a contract. */
export type Read = { readonly from?: Address; readonly to: Address; readonly data: Hex };

/** Returns the read of an account's balance in a token. */
export function balanceRead(token: Address, holder: Address): Read {
  return { to: token, data: encodeFunctionData({ ...BALANCE, args: [holder] }) };
}

/** Returns the read of a token's total supply. */
export function supplyRead(token: Address): Read {
  return { to: token, data: SUPPLY };
}

/**
 * Returns the read of an allowance: at a token, of an owner and a spender; at Permit2, of an owner,
 * a token and a spender.
 */
export function allowanceRead(contract: Address, accounts: readonly Address[]): Read {
  const [owner = '0x', second = '0x', third] = accounts;
  const data =
    third === undefined
      ? encodeFunctionData({ ...ALLOWANCE, args: [owner, second] })
      : encodeFunctionData({ ...PERMIT2_ALLOWANCE, args: [owner, second, third] });
  return { to: contract, data };
}

/** Returns the words that a read returns, as numbers; undefined if the node returns an error. */
export async function readWords(
  rpc: Rpc,
  read: Read,
  overrides?: Overrides,
): Promise<readonly bigint[] | undefined> {
  const params = [read, 'latest', ...(overrides === undefined ? [] : [stateOf(overrides)])];
  const returned = await undefinedIfRejected(rpc<Hex>('eth_call', params));
  return returned && (returned.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}

/** Returns the balance of an account, or undefined if the token does not report it. */
export async function balanceOf(
  rpc: Rpc,
  token: Address,
  account: Address,
): Promise<bigint | undefined> {
  return (await readWords(rpc, balanceRead(token, account)))?.[0];
}

/**
 * Returns whether a token is the native token as an ERC-20, as on Celo. An account's native and
 * ERC-20 balances are then equal.
 */
export async function isNativeToken(rpc: Rpc, token: Address): Promise<boolean> {
  const native = BigInt(await rpc<string>('eth_getBalance', [WITNESS, 'latest']));
  const balance = native + WITNESS_MARK;
  const [held] =
    (await readWords(rpc, balanceRead(token, WITNESS), { [WITNESS]: { balance } })) ?? [];
  return held === balance;
}
