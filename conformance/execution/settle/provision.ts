import type { AccountOverride, Call, Hex, Overrides } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';

/** The part of a scenario that gives accounts their tokens, approvals and code. */
export type Provision = { readonly overrides: Overrides; readonly before: readonly Call[] };

export const NOTHING: Provision = { overrides: {}, before: [] };

/** Combines provisions. Of two values for one part of an account, the last wins. */
export function combine(...provisions: readonly Provision[]): Provision {
  return merge(provisions, (_, last) => last);
}

/**
 * Combines provisions as `combine`, but of two balances or two values of a slot, the larger wins.
 */
export function combineLargest(...provisions: readonly Provision[]): Provision {
  return merge(provisions, (one, other) => (BigInt(one) > BigInt(other) ? one : other));
}

function merge(
  provisions: readonly Provision[],
  pick: <Amount extends bigint | Hex>(one: Amount, other: Amount) => Amount,
): Provision {
  const overrides: Record<Address, AccountOverride> = {};
  for (const { overrides: others } of provisions) {
    for (const [account, other] of Object.entries(others) as [Address, AccountOverride][]) {
      const known = overrides[account] ?? {};
      const { balance = other.balance } = known;
      const slots: Record<Hex, Hex> = { ...known.storage };
      for (const [slot, value] of Object.entries(other.storage ?? {}) as [Hex, Hex][]) {
        slots[slot] = pick(slots[slot] ?? value, value);
      }
      overrides[account] = {
        ...known,
        ...other,
        ...(balance !== undefined && { balance: pick(balance, other.balance ?? balance) }),
        ...(Object.keys(slots).length > 0 && { storage: slots }),
      };
    }
  }
  return { overrides, before: provisions.flatMap(({ before }) => before) };
}
