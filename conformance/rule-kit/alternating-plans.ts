import type { Exchange } from '../client/exchange.ts';
import type { Query } from '../client/request.ts';
import { swapTarget } from '../generate/trades.ts';
import type { Finding } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { planKey } from './plan-key.ts';

/** Times that a request is sent twice at once. */
const PAIRS = 3;

/**
 * Sends a request twice at once, several times, and looks for two plans that
 * come back again and again. A market that moves leaves a plan behind; two
 * servers that answer in turn do not, and requests sent one after another may
 * meet but one of them. Undefined where the market moved, or there is no plan.
 */
export async function findAlternation(
  session: Session,
  query: Query,
): Promise<{ readonly finding: Finding | undefined } | undefined> {
  const seen: (readonly [one: string, other: string])[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const exchanges = await Promise.all([
      session.get(swapTarget(query)),
      session.get(swapTarget(query)),
    ]);
    const [one, other] = exchanges.map(planKey);
    if (one === undefined || other === undefined) return undefined;
    const isSeen = (key: string) => seen.some((each) => each.includes(key));
    if (one !== other && isSeen(one) && isSeen(other)) {
      return { finding: describeAlternation(exchanges[1], one, other) };
    }
    seen.push([one, other]);
  }
  const isOne = new Set(seen.flat()).size === 1;
  return isOne ? { finding: undefined } : undefined;
}

function describeAlternation(exchange: Exchange, one: string, other: string): Finding {
  const lines = new Set(one.split('\n'));
  const difference = other.split('\n').find((line) => !lines.has(line)) ?? 'fewer routes';
  return {
    expected: 'one plan for a request, or a new one for good',
    actual: `two plans in turn; in one of them ${difference}`,
    exchange,
  };
}
