import type { Finding, ReplyVerdict } from '../model/rule.ts';
import type { Statement } from '../model/statement.ts';

/** What a rule says is wrong; the runner, or the probe, adds the exchange. */
export type Fault = Omit<Finding, 'exchange'>;

/** A reply shows the same fault a hundred thousand times at worst; a reader needs a few. */
const FAULTS_PER_REPLY = 8;

/** Most replies keep most promises: no verdict is made again for each. */
export const PASS: ReplyVerdict = { findings: [] };

/** Returns a verdict that finds fault with the first few of some items; none is a pass. */
export function verdictOf<Item>(
  items: readonly Item[],
  faultOf: (item: Item) => Fault,
): ReplyVerdict {
  if (items.length === 0) return PASS;
  return { findings: items.slice(0, FAULTS_PER_REPLY).map((item) => faultOf(item)) };
}

/** Returns a pass where a condition holds, else the fault; words that cost much to make are made only then. */
export function unless(
  holds: boolean,
  expected: Statement,
  actual: Statement | (() => Statement),
): ReplyVerdict {
  if (holds) return PASS;
  return { findings: [{ expected, actual: typeof actual === 'function' ? actual() : actual }] };
}
