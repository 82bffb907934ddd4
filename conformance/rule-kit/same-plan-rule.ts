import type { Query, RequestTarget } from '../client/request.ts';
import type { Finding, ProbeRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { findAlternation } from './alternating-plans.ts';
import { planKey } from './plan-key.ts';
import { createTally, replyOf, statusWords } from './probing.ts';
import { bracket, confirmFault } from './steady-market.ts';

/** Two requests that mean one thing; the other may be one that no query spells. */
export type Twins = readonly [one: Query, other: Query | RequestTarget];

type Identity = Pick<ProbeRule, 'id' | 'clause' | 'level' | 'title'>;

/** Returns a rule that holds where two requests that mean one thing give one plan. */
export function samePlanRule(
  identity: Identity,
  difference: string,
  twinsOf: (session: Session) => readonly Twins[],
  whyNot: string,
): ProbeRule {
  return {
    kind: 'probe',
    ...identity,
    run: async (session) => {
      const twins = twinsOf(session);
      if (twins.length === 0) return { kind: 'not-applicable', why: whyNot };
      const tally = createTally();
      await Promise.all(
        twins.map(async ([one, other]) => {
          const attempt = () => compare(session, one, other, difference);
          const judged = await (isOwnRepeat(one, other)
            ? judgeRepeat(session, one, attempt)
            : confirmFault(attempt));
          if (judged !== undefined) tally.check(judged.finding);
        }),
      );
      return tally.verdict('the market moved between every two replies, or gave no plan');
    },
  };
}

/** A relation of a request to itself is about replies that differ now and then. */
function isOwnRepeat(...[one, other]: Twins): boolean {
  return one === other;
}

/** Wrong once between two equal replies is enough; else two plans may come in turn. */
async function judgeRepeat(
  session: Session,
  query: Query,
  attempt: () => ReturnType<typeof compare>,
): ReturnType<typeof compare> {
  const bracketed = await attempt();
  if (bracketed?.finding !== undefined) return bracketed;
  return (await findAlternation(session, query)) ?? bracketed;
}

async function compare(
  session: Session,
  one: Query,
  other: Twins[1],
  difference: string,
): Promise<{ readonly finding: Finding | undefined } | undefined> {
  const pair = await bracket(session, one, () => other);
  if (pair === undefined) return undefined;
  const [expected, actual] = [planKey(pair.first), planKey(pair.second)];
  if (expected === actual) return { finding: undefined };
  const isPlan = replyOf(pair.second)?.status === 200;
  return {
    finding: {
      expected: `the same plan ${difference}: ${firstDifference(expected, actual)}`,
      actual: isPlan
        ? `another plan: ${firstDifference(actual, expected)}`
        : statusWords(pair.second),
      exchange: pair.second,
    },
  };
}

function firstDifference(one: string | undefined, other: string | undefined): string {
  const lines = new Set((other ?? '').split('\n'));
  return (one ?? 'no plan').split('\n').find((line) => !lines.has(line)) ?? 'fewer routes';
}
