import type { Hex } from 'viem';
import type { Address } from '../../model/trade-request.ts';
import { quantity, type Rpc, undefinedIfRejected } from '../node/json-rpc.ts';

/** An unused account. Contracts may reject the zero address. */
export const UNUSED_ACCOUNT: Address = '0x0000000000000000000000000000000000000001';
/**
 * Account whose native balance a call overrides. A token whose balance changes with it is the
 * native token.
 */
const WITNESS: Address = '0x00000000000000000000000000000000c0ffee07';
const WITNESS_MARK = 1_234_567_890_123n;

/**
 * Returns whether a token is the native token as an ERC-20, as on Celo. An account's native and
 * ERC-20 balances are then equal.
 */
export async function isNativeToken(rpc: Rpc, token: Address): Promise<boolean> {
  const native = BigInt(await rpc<string>('eth_getBalance', [WITNESS, 'latest']));
  const marked = native + WITNESS_MARK;
  const override = { [WITNESS]: { balance: quantity(marked) } };
  return (await balanceOf(rpc, token, WITNESS, override)) === marked;
}

/** Returns the balance of an account, or undefined if the token does not report it. */
export async function balanceOf(
  rpc: Rpc,
  token: Address,
  account: Address,
  override?: Readonly<Record<string, unknown>>,
): Promise<bigint | undefined> {
  const call = { to: token, data: balanceOfCalldata(account) };
  const overrides = override === undefined ? [] : [override];
  const returned = await undefinedIfRejected(
    rpc<string>('eth_call', [call, 'latest', ...overrides]),
  );
  const [word] = /^0x[0-9a-f]{64}/.exec(returned ?? '') ?? [];
  return word === undefined ? undefined : BigInt(word);
}

function balanceOfCalldata(account: Address): Hex {
  return `0x70a08231${account.slice(2).padStart(64, '0')}`;
}
