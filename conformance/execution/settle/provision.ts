import type { AccountOverride, Call, Hex, Overrides } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';

/** The part of a scenario that gives accounts their tokens, approvals and code. */
export type Provision = { readonly overrides: Overrides; readonly before: readonly Call[] };

export const NOTHING: Provision = { overrides: {}, before: [] };

/**
 * Combines provisions. Storage slots are merged. For any other part of an account, the last
 * provision wins.
 */
export function joined(...provisions: readonly Provision[]): Provision {
  const overrides: Record<Address, AccountOverride> = {};
  for (const [account, { storage, ...rest }] of provisions.flatMap((each) =>
    entriesOf(each.overrides),
  )) {
    const known = overrides[account] ?? {};
    const slots = { ...known.storage, ...storage };
    overrides[account] = {
      ...known,
      ...rest,
      ...(Object.keys(slots).length > 0 && { storage: slots }),
    };
  }
  return { overrides, before: provisions.flatMap(({ before }) => before) };
}

/** Combines provisions as `joined`, but of two balances or slots of an account, the larger wins. */
export function richest(one: Provision, other: Provision): Provision {
  const all = joined(one, other);
  const larger = entriesOf(one.overrides).map(([account, { balance = 0n, storage = {} }]) => {
    const { balance: now = 0n, storage: slots = {} } = all.overrides[account] ?? {};
    const kept = Object.entries(storage).filter(
      ([slot, value]) => BigInt(value) > BigInt(slots[slot as Hex] ?? 0),
    );
    return [
      account,
      {
        ...(balance > now && { balance }),
        ...(kept.length > 0 && { storage: Object.fromEntries(kept) }),
      },
    ];
  });
  return joined(all, { overrides: Object.fromEntries(larger), before: [] });
}

function entriesOf(overrides: Overrides) {
  return Object.entries(overrides) as [Address, AccountOverride][];
}
