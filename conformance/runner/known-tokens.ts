import { sameAddress } from '../checks/hex.ts';
import type { Moved } from '../model/evidence.ts';
import type { TextOptions } from '../model/format-statement.ts';
import type { PlanSketch } from '../model/plan-sketch.ts';

/**
 * Returns a lookup of the tokens in a failure. The lookup searches the failure's plan and the
 * transfers of its settlement.
 */
export function tokenLookup({
  plan,
  money = [],
}: {
  readonly plan?: PlanSketch | undefined;
  readonly money?: readonly Moved[] | undefined;
}): TextOptions['tokenOf'] {
  return (name) => {
    if ('referenceId' in name) {
      return plan?.tokens.find(({ ref }) => ref === String(name.referenceId));
    }
    const wanted = name.address;
    return (
      plan?.tokens.find(({ address }) => sameAddress(address, wanted)) ??
      money.find(({ token }) => sameAddress(token, wanted))
    );
  };
}
