import type { Fault, FaultData } from '../model/rule.ts';
import type { Statement } from '../model/statement.ts';

/** Maximum number of faults per reply, since every entry of a long list may have the same fault. */
const MAX_FAULTS_PER_REPLY = 8;

/** Returns the faults of the first few items. */
export function faultsOf<Item>(
  items: readonly Item[],
  faultOf: (item: Item) => Fault,
): readonly Fault[] {
  return items.slice(0, MAX_FAULTS_PER_REPLY).map((item) => faultOf(item));
}

/**
 * Returns undefined if a condition holds, else the fault. `actual` may be a function, in case it is
 * expensive to compose.
 */
export function faultUnless(
  holds: boolean,
  fault: string,
  expected: Statement,
  actual: Statement | (() => Statement),
  data?: FaultData,
): Fault | undefined {
  if (holds) return undefined;
  const seen = typeof actual === 'function' ? actual() : actual;
  return { fault, expected, actual: seen, ...(data && { data }) };
}
