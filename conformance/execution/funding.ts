import type { Hex } from 'viem';
import type { Address } from '../model/trade-request.ts';
import { orRefused, quantity, type Rpc } from './json-rpc.ts';

/**
 * What to write into a balance slot for each unit that the account is to hold:
 * rebasing tokens keep shares, of which a unit is worth more or less than one.
 */
const SHARES_PER_UNIT = [0n, 1n, 16n, 64n, 96n, 128n, 160n].map((bits) => 1n << bits);

/** An account without an owner; contracts may reject the zero address. */
export const UNUSED_ACCOUNT: Address = '0x0000000000000000000000000000000000000001';

export async function setNative(rpc: Rpc, account: Address, amount: bigint): Promise<void> {
  await rpc('anvil_setBalance', [account, quantity(amount)]);
}

/**
 * Gives an account at least `amount` of a token, and returns what it then
 * holds; undefined where no way was found. Anvil finds the balance of most
 * tokens by itself. For the others, every storage slot that `balanceOf` reads
 * is tried by state override, and the one that answers is written.
 */
export async function fundToken(
  rpc: Rpc,
  token: Address,
  account: Address,
  amount: bigint,
): Promise<bigint | undefined> {
  // Refused where Anvil does not find where the token keeps balances.
  await orRefused(rpc('anvil_dealERC20', [account, token, quantity(amount)]));
  const dealt = await balanceOf(rpc, token, account);
  if (dealt === undefined || dealt >= amount) return dealt;
  const slot = await findBalanceSlot(rpc, token, account, amount);
  if (slot === undefined) return undefined;
  await rpc('anvil_setStorageAt', [slot.contract, slot.key, slot.value]);
  const held = await balanceOf(rpc, token, account);
  return held !== undefined && held >= amount ? held : undefined;
}

/** Takes all of a token from an account, where Anvil can; another balance only makes gas cheaper. */
export async function emptyToken(rpc: Rpc, token: Address, account: Address): Promise<void> {
  await orRefused(rpc('anvil_dealERC20', [account, token, '0x0']));
}

/** Returns what an account holds of a token, or undefined where the token does not say. */
export async function balanceOf(
  rpc: Rpc,
  token: Address,
  account: Address,
  override?: Readonly<Record<string, unknown>>,
): Promise<bigint | undefined> {
  const call = { to: token, data: balanceOfCalldata(account) };
  const overrides = override === undefined ? [] : [override];
  const returned = await orRefused(rpc<string>('eth_call', [call, 'latest', ...overrides]));
  const [word] = /^0x[0-9a-f]{64}/.exec(returned ?? '') ?? [];
  return word === undefined ? undefined : BigInt(word);
}

/**
 * Returns where a contract keeps an account's balance, and what to write there.
 * What is read for any account is no account's: of a token whose balances all grow
 * at once, what a share is worth.
 */
async function findBalanceSlot(rpc: Rpc, token: Address, account: Address, amount: bigint) {
  const [own, shared] = await Promise.all([
    slotsRead(rpc, token, account),
    slotsRead(rpc, token, neighbourOf(account)),
  ]);
  const isShared = (slot: Slot) =>
    shared.some(({ contract, key }) => contract === slot.contract && key === slot.key);
  // The balance is read last: what stands before it is mostly a proxy's own state.
  const slots = own.filter((slot) => !isShared(slot)).reverse();
  for (const shares of SHARES_PER_UNIT) {
    const value = wordOf(amount * shares);
    if (value === undefined) continue;
    for (const { contract, key } of slots) {
      const override = { [contract]: { stateDiff: { [key]: value } } };
      const held = await balanceOf(rpc, token, account, override);
      if (held !== undefined && held >= amount) return { contract, key, value };
    }
  }
  return undefined;
}

type Slot = { readonly contract: Address; readonly key: Hex };

/** Returns the storage that a token reads to tell what an account holds. */
async function slotsRead(rpc: Rpc, token: Address, account: Address): Promise<readonly Slot[]> {
  const call = { from: account, to: token, data: balanceOfCalldata(account) };
  const { accessList } = await rpc<{
    accessList: readonly { address: Address; storageKeys: readonly Hex[] }[];
  }>('eth_createAccessList', [call, 'latest']);
  return accessList.flatMap(({ address, storageKeys }) =>
    storageKeys.map((key) => ({ contract: address, key })),
  );
}

function neighbourOf(account: Address): Address {
  return `0x${(BigInt(account) ^ 1n).toString(16).padStart(40, '0')}`;
}

function balanceOfCalldata(account: Address): Hex {
  return `0x70a08231${account.slice(2).padStart(64, '0')}`;
}

function wordOf(value: bigint): Hex | undefined {
  return value < 1n << 255n ? `0x${value.toString(16).padStart(64, '0')}` : undefined;
}
