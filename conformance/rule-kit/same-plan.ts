import { statusOf } from '../client/exchange.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { swapTarget } from '../generate/trades.ts';
import type { Session } from '../model/session.ts';
import { planKey } from './plan-key.ts';
import { createAssertions, type Run } from './probes.ts';
import { statusWords } from './reply-status.ts';
import { bracket, type Compared, confirmFault } from './steady-market.ts';

/** Two requests that mean one thing; the other may be one that no query spells. */
export type Equivalent = readonly [one: Query, other: Query | RequestTarget];

/** Returns a probe that holds where equivalent requests are answered with the same plan. */
export function samePlan(
  difference: string,
  equivalentsOf: (session: Session) => readonly Equivalent[],
  withoutAny: string,
): Run {
  return async (session) => {
    const equivalents = equivalentsOf(session);
    if (equivalents.length === 0) return { kind: 'not-applicable', why: withoutAny };
    const assertions = createAssertions();
    await Promise.all(
      equivalents.map(async ([one, other]) => {
        const attempt = () => compare(session, one, other, difference);
        // A relation of a request to itself is about replies that differ now and then.
        const compared = await (one === other
          ? compareRepeats(session, one, attempt)
          : confirmFault(attempt));
        if (compared !== undefined) assertions.check(compared.finding);
      }),
    );
    return assertions.verdict('the market kept moving between replies, or no plan came');
  };
}

/** Wrong once between two equal replies is enough; else two plans may come in turn. */
async function compareRepeats(
  session: Session,
  query: Query,
  attempt: () => Promise<Compared | undefined>,
): Promise<Compared | undefined> {
  const compared = await attempt();
  if (compared?.finding !== undefined) return compared;
  return (await findAlternation(session, query)) ?? compared;
}

async function compare(
  session: Session,
  one: Query,
  other: Equivalent[1],
  difference: string,
): Promise<Compared | undefined> {
  const pair = await bracket(session, one, () => other);
  if (pair === undefined) return undefined;
  const [expected, actual] = [planKey(pair.first), planKey(pair.second)];
  if (expected === actual) return { finding: undefined };
  return {
    finding: {
      expected: `the same plan ${difference}: ${firstDifference(expected, actual)}`,
      actual:
        statusOf(pair.second) === 200
          ? `another plan: ${firstDifference(actual, expected)}`
          : statusWords(pair.second),
      exchange: pair.second,
    },
  };
}

/** Times that a request is sent twice at once. */
const PAIRS = 3;

/**
 * Sends a request twice at once, several times, and looks for two plans that
 * come back again and again. A market that moves leaves a plan behind; two
 * servers that answer in turn do not, and requests sent one after another may
 * meet but one of them. Undefined where the market moved, or there is no plan.
 */
export async function findAlternation(
  { get }: Pick<Session, 'get'>,
  query: Query,
): Promise<Compared | undefined> {
  const target = swapTarget(query);
  const seen: string[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const exchanges = await Promise.all([get(target), get(target)]);
    const [one, other] = exchanges.map(planKey);
    if (one === undefined || other === undefined) return undefined;
    if (one !== other && seen.includes(one) && seen.includes(other)) {
      const expected = 'one plan for a request, or a new one for good';
      const actual = `two plans in turn; in one of them ${firstDifference(other, one)}`;
      return { finding: { expected, actual, exchange: exchanges[1] } };
    }
    seen.push(one, other);
  }
  return new Set(seen).size === 1 ? { finding: undefined } : undefined;
}

function firstDifference(one: string | undefined, other: string | undefined): string {
  const lines = new Set((other ?? '').split('\n'));
  return (one ?? 'no plan').split('\n').find((line) => !lines.has(line)) ?? 'fewer routes';
}
