import { concatHex, type Hex, keccak256, pad, toHex } from 'viem';
import type { Address } from '../../model/trade-request.ts';
import type { Rpc } from '../node/json-rpc.ts';

/** A storage slot of a contract. */
export type Slot = { readonly contract: Address; readonly key: Hex };

/**
 * A mapping in a contract's storage, keyed by one or more accounts. The layout is that of Solidity
 * or of Vyper.
 */
export type Mapping = {
  readonly contract: Address;
  readonly base: Hex;
  readonly layout: 'solidity' | 'vyper';
};

/** Only mappings in slots below this one are found. Few tokens have variables beyond it. */
const MAX_BASE = 256;
/**
 * OpenZeppelin's upgradeable tokens use this ERC-7201 namespace for balances, followed by
 * allowances.
 */
const NAMESPACE = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;
const BASES = [
  ...Array.from({ length: MAX_BASE }, (_, base) => BigInt(base)),
  NAMESPACE,
  NAMESPACE + 1n,
];
const LAYOUTS = ['solidity', 'vyper'] as const;

/** Returns the slot of a mapping for the given accounts, the outermost key first. */
export function slotIn({ contract, base, layout }: Mapping, accounts: readonly Address[]): Slot {
  const key = accounts.reduce<Hex>((slot, account) => {
    const word = pad(account);
    return keccak256(layout === 'solidity' ? concatHex([word, slot]) : concatHex([slot, word]));
  }, base);
  return { contract, key };
}

/**
 * Returns the mapping in which a slot belongs to the given accounts; undefined if the slot is in no
 * common mapping.
 */
export function mappingOf(
  { contract, key }: Slot,
  accounts: readonly Address[],
): Mapping | undefined {
  for (const base of BASES) {
    for (const layout of LAYOUTS) {
      const mapping = { contract, base: toHex(base, { size: 32 }), layout };
      if (slotIn(mapping, accounts).key === key) return mapping;
    }
  }
  return undefined;
}

/** Returns the storage slots that a call reads. */
export async function slotsRead(
  rpc: Rpc,
  call: { readonly to: Address; readonly data: Hex },
): Promise<readonly Slot[]> {
  const { accessList } = await rpc<{
    accessList: readonly { address: Address; storageKeys: readonly Hex[] }[];
  }>('eth_createAccessList', [call, 'latest']);
  return accessList.flatMap(({ address, storageKeys }) =>
    storageKeys.map((key) => ({ contract: address, key })),
  );
}
