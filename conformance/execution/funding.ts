import type { Hex } from 'viem';
import type { Address } from '../model/trade-request.ts';
import { quantity, type Rpc, undefinedIfRejected } from './json-rpc.ts';

/**
 * Factors from a balance to the value of its slot: rebasing tokens store shares, which are worth more
 * or less than one unit.
 */
const SHARES_PER_UNIT = [0n, 1n, 16n, 64n, 96n, 128n, 160n, 192n].map((bits) => 1n << bits);

/** An unused account; contracts may reject the zero address. */
export const UNUSED_ACCOUNT: Address = '0x0000000000000000000000000000000000000001';
/** An account whose native balance is changed in a call, to see which tokens change with it. */
const WITNESS: Address = '0x00000000000000000000000000000000c0ffee07';
const WITNESS_MARK = 1_234_567_890_123n;

export async function setNative(rpc: Rpc, account: Address, amount: bigint): Promise<void> {
  await rpc('anvil_setBalance', [account, quantity(amount)]);
}

/**
 * Gives an account at least `amount` of a token, and returns its new balance; undefined if that was not
 * possible. Anvil finds the balance slot of most tokens. For the others, every storage slot that
 * `balanceOf` reads is tried by state override, and the one that changes the balance is written.
 */
export async function fundToken(
  rpc: Rpc,
  token: Address,
  account: Address,
  amount: bigint,
): Promise<bigint | undefined> {
  // An error if Anvil does not find the balance slot.
  await undefinedIfRejected(rpc('anvil_dealERC20', [account, token, quantity(amount)]));
  const dealt = await balanceOf(rpc, token, account);
  if (dealt === undefined || dealt >= amount) return dealt;
  const slot = await findBalanceSlot(rpc, token, account, amount);
  if (slot !== undefined) {
    await rpc('anvil_setStorageAt', [slot.contract, slot.key, slot.value]);
  } else if (await isNativeToken(rpc, token)) {
    const native = BigInt(await rpc<string>('eth_getBalance', [account, 'latest']));
    if (native < amount) await setNative(rpc, account, amount);
  }
  const held = await balanceOf(rpc, token, account);
  return held !== undefined && held >= amount ? held : undefined;
}

/** Returns whether a token is the native one as an ERC-20, as on Celo: the two balances are equal. */
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

/**
 * Returns the slot of a contract that contains an account's balance, and the value to write. Slots
 * that are read for every account are skipped: they contain, for example, the value of a share.
 */
async function findBalanceSlot(rpc: Rpc, token: Address, account: Address, amount: bigint) {
  const [own, shared] = await Promise.all([
    slotsRead(rpc, token, account),
    slotsRead(rpc, token, neighborOf(account)),
  ]);
  const isShared = (slot: Slot) =>
    shared.some(({ contract, key }) => contract === slot.contract && key === slot.key);
  // The balance is read last: earlier slots are mostly the state of a proxy.
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

/** Returns the storage slots that a token reads for the balance of an account. */
async function slotsRead(rpc: Rpc, token: Address, account: Address): Promise<readonly Slot[]> {
  const call = { from: account, to: token, data: balanceOfCalldata(account) };
  const { accessList } = await rpc<{
    accessList: readonly { address: Address; storageKeys: readonly Hex[] }[];
  }>('eth_createAccessList', [call, 'latest']);
  return accessList.flatMap(({ address, storageKeys }) =>
    storageKeys.map((key) => ({ contract: address, key })),
  );
}

function neighborOf(account: Address): Address {
  return `0x${(BigInt(account) ^ 1n).toString(16).padStart(40, '0')}`;
}

function balanceOfCalldata(account: Address): Hex {
  return `0x70a08231${account.slice(2).padStart(64, '0')}`;
}

function wordOf(value: bigint): Hex | undefined {
  return value < 1n << 255n ? `0x${value.toString(16).padStart(64, '0')}` : undefined;
}
