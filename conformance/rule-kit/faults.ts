import type { FaultData, Finding, ReplyVerdict } from '../model/rule.ts';
import type { Statement } from '../model/statement.ts';

/** A finding without its exchange, which the runner or the probe adds. */
export type Fault = Omit<Finding, 'exchange'>;

/** Maximum number of faults per reply, since every entry of a long list may have the same fault. */
const MAX_FAULTS_PER_REPLY = 8;

/** Verdict without findings. Most verdicts are passes, which share this object. */
export const PASS: ReplyVerdict = { findings: [] };

/** Returns a verdict with the faults of the first few items, or a pass if there are none. */
export function verdictOf<Item>(
  items: readonly Item[],
  faultOf: (item: Item) => Fault,
): ReplyVerdict {
  if (items.length === 0) return PASS;
  return { findings: items.slice(0, MAX_FAULTS_PER_REPLY).map((item) => faultOf(item)) };
}

/**
 * Returns a pass if a condition holds, otherwise a verdict with the fault. If the actual words are
 * expensive to compose, pass a function.
 */
export function unless(
  holds: boolean,
  fault: string,
  expected: Statement,
  actual: Statement | (() => Statement),
  data?: FaultData,
): ReplyVerdict {
  if (holds) return PASS;
  const seen = typeof actual === 'function' ? actual() : actual;
  return { findings: [{ fault, expected, actual: seen, ...(data && { data }) }] };
}
