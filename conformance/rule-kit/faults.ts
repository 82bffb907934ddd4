import type { Finding, ReplyVerdict } from '../model/rule.ts';

/** What a rule says is wrong; the runner, or the probe, adds the exchange. */
export type Fault = Omit<Finding, 'exchange'>;

/** A reply shows the same fault a hundred thousand times at worst; a reader needs a few. */
const FAULTS_PER_REPLY = 8;

/** Most replies keep most promises: no verdict is made anew for each. */
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
  expected: string,
  actual: string | (() => string),
): ReplyVerdict {
  if (holds) return PASS;
  return { findings: [{ expected, actual: typeof actual === 'string' ? actual : actual() }] };
}

/**
 * Returns a value as a reader wants it quoted: as JSON, cut at 120 characters.
 * Whatever text of a service stands in a sentence of ours is quoted: so it can
 * be told from our words where the API key is taken out.
 *
 * @example
 * quote('1e18') // '"1e18"'
 */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  if (text.length <= 120) return text;
  const cut = text.slice(0, 116).replace(/\\+$/, '');
  const quotes = cut.replace(/\\./g, '').split('"').length - 1;
  return `${cut}...${quotes % 2 === 0 ? '' : '"'}`;
}

/** Returns values quoted, with commas between them. */
export function quoteAll(values: readonly unknown[]): string {
  return values.map(quote).join(', ');
}
