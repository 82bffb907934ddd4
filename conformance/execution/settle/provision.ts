import type { AccountOverride, Call, Overrides } from '../../model/scenario.ts';
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

function entriesOf(overrides: Overrides) {
  return Object.entries(overrides) as [Address, AccountOverride][];
}
