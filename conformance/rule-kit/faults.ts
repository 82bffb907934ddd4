import type { FaultData, Finding, ReplyVerdict } from '../model/rule.ts';
import type { Statement } from '../model/statement.ts';

/** A finding without its exchange, which the runner or the probe adds. */
export type Fault = Omit<Finding, 'exchange'>;

/** A long list may have the same fault in each entry. */
const MAX_FAULTS_PER_REPLY = 8;

/** Verdict without findings. Shared, since most verdicts pass. */
export const PASS: ReplyVerdict = { findings: [] };

/**
 * Returns a verdict with the faults of the first few items. Without items, the verdict is a pass.
 */
export function verdictOf<Item>(
  items: readonly Item[],
  faultOf: (item: Item) => Fault,
): ReplyVerdict {
  if (items.length === 0) return PASS;
  return { findings: items.slice(0, MAX_FAULTS_PER_REPLY).map((item) => faultOf(item)) };
}

/**
 * Returns a pass if a condition holds, otherwise the fault. Pass functions for words that are
 * expensive to compose.
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
